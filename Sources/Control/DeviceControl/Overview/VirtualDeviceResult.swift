package import CastWire
import FeatureContract
import GatewayCore
package import GatewayOperations
import Passthrough
import VirtualDevices

/// A virtual device and what runs on it, as operations answer with it.
package struct VirtualDeviceResult: ResultRecord {
    package struct Source {
        let listed: ListedVirtualDeviceResult.Source
        /// The gateway's own side; nil when it does not run, or does not answer.
        let overview: VirtualDeviceOverview?
        /// The way through to the device behind it; nil for a device whose senders end here, too.
        let passed: PassthroughOverview?
        let isTargetOnline: Bool?
        let context: GatewayContext

        var senders: [SenderResult.Source] {
            (self.passed?.splices.map(SenderOverview.init) ?? self.overview?.senders ?? []).map {
                SenderResult.Source(sender: $0, context: self.context)
            }
        }
    }

    let listed = Embedded(ListedVirtualDeviceResult.self) { $0.listed }
    let category = Field(
        "category", "Whose device it is: the gateway's own", as: .word([DeviceCategory.virtual.rawValue])
    ) { _ in DeviceCategory.virtual.rawValue }
    package let isTargetOnline = Field.optional(
        "target_online", "Whether the device behind it answers; missing for the built-in receiver"
    ) { $0.isTargetOnline }
    package let senderCount = Field("senders", "How many senders are connected") { $0.senders.count }
    let traffic = Field.optional(
        "traffic", PassedTrafficResult.self, "What has passed through; missing for a device whose senders end here"
    ) { $0.passed }
    package let apps = Field("apps", listOf: AppDescription.self, "What runs on it, without the idle screen") {
        source in
        (source.overview?.apps ?? []).map {
            .init(app: $0.facts, media: $0.media, times: $0.times, context: source.context)
        }
    }
    package let streams = Field(
        "streams", listOf: MirroringStreamResult.self,
        "The streams of mirroring senders that are carried to the device"
    ) { source in
        (source.passed?.streams ?? source.overview?.streams ?? []).map { .init(stream: $0, context: source.context) }
    }
    let suspendedHandlers = Field(
        "suspended_handlers", "The handlers that failed too often and are not asked for a while"
    ) { $0.overview?.state.suspendedHandlers ?? [] }

    package static let layout = ResultLayout(VirtualDeviceResult())
}

/// A virtual device, what runs on it, and its senders.
struct ConnectedVirtualDeviceResult: ResultRecord {
    typealias Source = VirtualDeviceResult.Source

    let device = Embedded(VirtualDeviceResult.self) { $0 }
    let senders = Field("connected", listOf: SenderResult.self, "The senders, the oldest first") { $0.senders }

    static let layout = ResultLayout(ConnectedVirtualDeviceResult())
}

/// The traffic of a virtual device whose senders are passed through.
private struct PassedTrafficResult: ResultRecord {
    typealias Source = PassthroughOverview

    let announcedIn = Field("announced_in", "The network interfaces in which it is announced") { $0.announcedIn }
    let connected = Field("connected", "How many connections of senders stood since it began") {
        Int(clamping: $0.counts.opened)
    }
    let refused = Field("refused", "How many ended before they stood") { Int(clamping: $0.counts.refused) }
    let fromSenders = Field("bytes_from_senders", "What has come from senders, in bytes") {
        Int(clamping: $0.counts.fromSenders)
    }
    let fromDevice = Field("bytes_from_device", "What has come from the device, in bytes") {
        Int(clamping: $0.counts.fromDevice)
    }

    static let layout = ResultLayout(PassedTrafficResult())
}

/// The stream of a mirroring sender.
package struct MirroringStreamResult: ResultRecord {
    package struct Source {
        let stream: MirroringStream
        let context: GatewayContext
    }

    let connection = Field("connection", "The sender's connection: `c7`") { "\($0.stream.connection)" }
    package let sender = Field("sender", "The sender's address") { $0.stream.sender }
    let app = Field.optional("app", "The app that shows it") { $0.stream.app?.appID.rawValue }
    let sessionID = Field.optional("session_id", "The app's session") { $0.stream.app?.sessionID }
    package let since = Field("since", "Since when it is carried, in seconds since 1970") {
        $0.context.seconds(of: $0.stream.since)
    }
    let address = Field("address", "Where the sender sends to, without the port") { $0.stream.address }
    let port = Field("port", "The UDP port there") { $0.stream.port }
    let devicePort = Field("device_port", "The UDP port of the device") { $0.stream.devicePort }
    package let packets = Field("packets", BothWaysResult.self, "How many datagrams passed") { $0.stream.packets }
    let bytes = Field("bytes", BothWaysResult.self, "Their content in bytes") { $0.stream.bytes }
    package let dropped = Field("dropped", "How many datagrams did not pass") { Int(clamping: $0.stream.dropped) }
    let drops = Field(
        "drops", "The same by reason; a reason that no datagram had is missing", as: .map(.integer)
    ) { source in
        JSONObject(
            source.stream.drops.sorted { $0.key < $1.key }.map { ($0.key, .number(Int(clamping: $0.value))) })
    }

    package static let layout = ResultLayout(MirroringStreamResult())
}

/// The counts of a stream in both directions.
package struct BothWaysResult: ResultRecord {
    package typealias Source = (toDevice: UInt64, toSender: UInt64)

    package let toDevice = Field("to_device", "From the sender to the device") { Int(clamping: $0.toDevice) }
    package let toSender = Field("to_sender", "From the device to the sender") { Int(clamping: $0.toSender) }

    package static let layout = ResultLayout(BothWaysResult())
}
