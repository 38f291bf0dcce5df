import CastDiscovery
package import CastWire
package import DeviceSessions
import FeatureContract
import GatewayCore
package import GatewayOperations

/// A real device, as operations answer with it.
package struct RealDeviceResult: ResultRecord {
    package struct Source {
        let entry: RealDeviceNames.Entry
        /// The state of its channel; nil when the gateway keeps no channel to it, or it does not answer.
        let state: RealDeviceState?
        /// Its place in the device list.
        let index: Int?
        let proof: DeviceAuthenticationRecord?
        /// The virtual devices that it stands behind.
        let virtualDevices: [String]
        let context: GatewayContext

        var found: DiscoveredDevice? { self.entry.found }
        /// The device when it has said something of itself.
        var heard: DiscoveredDevice? { self.found?.record == nil ? nil : self.found }

        var word: String {
            guard let state else { return self.entry.hasChannel ? "unanswered" : "found" }
            return state.isOnline ? "online" : "offline"
        }

        var addresses: [String] {
            var seen: Set<String> = []
            return ((self.found?.addresses ?? []) + (self.state?.addresses ?? [])).map(\.description)
                .filter { seen.insert($0).inserted }
        }
    }

    package let name = Field("name", "Its name in the gateway: that of the file, or else its id") { $0.entry.name }
    package let friendlyName = Field("friendly_name", "What it calls itself") {
        $0.found?.friendlyName ?? $0.entry.name
    }
    package let state = Field(
        "state",
        "Whether it answers; `found` when it is in the network and the gateway keeps no channel to it, `unanswered` when the gateway itself does not say",
        as: .word(["online", "offline", "found", "unanswered"])
    ) { $0.word }
    let isAnnounced = Field("announced", "Whether it is heard in the network") { $0.found?.isAnnounced ?? false }
    package let since = Field.optional("since", "Since when it is online or offline, in seconds since 1970") {
        $0.state?.since.map($0.context.seconds)
    }
    let reason = Field.optional("reason", "Why it is offline") { $0.state?.reason }
    package let address = Field.optional("address", "Where it is, or was dialled last") {
        $0.state?.address?.description
    }
    package let addresses = Field("addresses", "Where it may be, best first") { $0.addresses }
    let index = Field.optional(
        "index", "Its place in the device list, as device events have it; missing when it is not listed"
    ) { $0.index }
    let attributes = Field.optional(
        "attributes", "What callers keep with it by `device.attributes`; missing when nothing is", as: .map(.text)
    ) { source in
        source.found.flatMap { $0.attributes.isEmpty ? nil : JSONObject(attributes: $0.attributes) }
    }
    let source = Field(
        "source",
        "Why it is known: `file` (`discovery.static`, or what a virtual device relays to), `network`, or `plugin:NAME`"
    ) {
        $0.found?.source ?? ($0.entry.hasChannel || $0.found?.staticName != nil ? "file" : "network")
    }
    let category = Field(
        "category",
        "Whose device it is: `cast` for one that is heard or written down, `plugin:NAME` for one that a plugin names. It stands before the id in "
            + "the unique id that device events have"
    ) { ($0.found?.category ?? .cast).rawValue }
    let id = Field.optional("id", "Its id; `static:NAME` for one that was written down and never heard") {
        $0.found?.id
    }
    package let model = Field.optional("model", "Its model") { source in
        source.found.flatMap { $0.model.isEmpty ? nil : $0.model }
    }
    let type = Field.optional(
        "type", "What it is to people", as: .word(["generic", "tv", "speaker", "speaker_group"])
    ) { $0.heard?.type.rawValue }
    let capabilities = Field.optional("capabilities", "What it can do") { $0.heard?.capabilities.names }
    let statusText = Field.optional("status_text", "What it says of what it does") { source in
        source.heard.flatMap { $0.statusText.isEmpty ? nil : $0.statusText }
    }
    package let proof = Field.optional(
        "authentication", DeviceProofResult.self, "Its proof of authenticity; missing when it was not asked"
    ) { $0.proof }
    let volume = Field.optional("volume", KnownVolumeResult.self, "Its volume, as it said last") {
        $0.state?.status?.volume
    }
    let apps = Field("apps", listOf: AppDescription.self, "What runs on it, without the idle screen") { source in
        (source.state?.apps ?? []).map {
            .init(app: $0.facts, media: $0.media, times: $0.times, context: source.context)
        }
    }
    let virtualDevices = Field("virtual_devices", "The virtual devices that it stands behind") { $0.virtualDevices }

    package static let layout = ResultLayout(RealDeviceResult())
}

/// The proof of a real device's authenticity.
package struct DeviceProofResult: ResultRecord {
    package typealias Source = DeviceAuthenticationRecord

    package let outcome = Field(
        "outcome", "What came of asking it to prove that it is a Cast device",
        as: .word(["verified", "verified_without_nonce", "without_nonce", "failed", "unavailable"])
    ) { $0.outcome.word }
    let text = Field("text", "The same in a sentence") { "\($0.outcome)" }
    let time = Field("time", "When it was asked last, in seconds since 1970") { Int(clamping: $0.time) }

    package static let layout = ResultLayout(DeviceProofResult())
}

/// The volume of a real device, as it said last.
private struct KnownVolumeResult: ResultRecord {
    typealias Source = ReceiverVolume

    let level = Field.optional("level", "From 0 to 1") { $0.level }
    let isMuted = Field.optional("muted", "Whether it is silent") { $0.muted }

    static let layout = ResultLayout(KnownVolumeResult())
}

extension JSONObject {
    /// The texts that callers keep with a device.
    init(attributes: [String: String]) {
        self.init(attributes.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
    }
}
