import CastClient
import CastWire
import DeviceSessions
import FeatureContract
import GatewayConfig
import GatewayOperations

/// `volume.get`
struct GetVolume: DeviceControlOperation {
    struct Input: DeviceInput {
        var device = DeviceReference("")
        var hasMembers = false

        static let keys: [Key] = [
            .device(\.device),
            Key("members", \.hasMembers, .boolean, "Whether the members of a speaker group are wanted too"),
        ]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "volume.get"
    static let route = OperationRoute(.get, "/devices/{device}/volume")
    static let scope = OperationScope.read
    static let reach = OperationReach.device
    static let summary = "Shows how loud a device is"
    static let result = VolumeResult.result("The volume")
    static let problems = DeviceProblem.asked

    let controls: DeviceControls

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let device = try self.controls.device(input.device, for: caller)
        let volume = try await device.status().volume
        // A device that is no group may leave the question unanswered.
        return VolumeResult.json((device, volume, input.hasMembers ? try? await device.members() : nil))
    }
}

/// `volume.set`
struct SetVolume: DeviceControlOperation {
    struct Input: DeviceInput, RuledInput {
        var device = DeviceReference("")
        var level: Double?
        var by: Double?
        var steps: Int?
        var mute: MuteChange?
        var member: String?

        static let keys: [Key] = [
            .device(\.device),
            .optional("level", \.level, .number(0...1), "How loud, from 0 to 1", example: "0.4"),
            .optional(
                "by", \.by, .number(-1...1),
                "How much louder, or quieter below zero, than the device said last that it is", example: "-0.05"),
            .optional(
                "steps", \.steps, .integer(-20...20),
                "By how many of the device's own steps it becomes louder, or quieter below zero", example: "1"),
            .optional(
                "muted", \.mute, .muteWish,
                "Whether the sound is off; `toggle` switches it on where it is off, and off where it is on"),
            .optional(
                "member", \.member, .text(maximumBytes: 200),
                "The member of a speaker group that is meant, by its id; without it the group as a whole"),
        ]

        static let rules: [InputRule] = [
            .any(of: ["level", "by", "steps", "muted"]), .notBoth("level", "by"), .notBoth("level", "steps"),
            .notBoth("by", "steps"),
        ]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "volume.set"
    static let route = OperationRoute(.put, "/devices/{device}/volume")
    static let scope = OperationScope.control
    static let isCommand = true
    static let reach = OperationReach.device
    static let summary = "Makes a device louder or quieter, or mutes it"
    static let details =
        "A newer change takes the place of one that waits for the device's answer; while that is awaited, only the newest is sent."
    static let result = VolumeResult.result("The volume then")
    static let problems =
        DeviceProblem.asked + [OperationProblemCase("unknown_member", 404, "the group has no such member")]

    let controls: DeviceControls

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let device = try self.controls.device(input.device, for: caller)
        if let member = input.member { return try await self.set(input, ofMember: member, on: device) }
        let known = input.isChange ? try await device.status().volume : await device.knownStatus()?.volume
        let volume = input.volume(from: known)
        try Self.check(known, volume, of: device.name)
        let status = try await device.askStatus(
            ["type": "SET_VOLUME", "volume": .object(volume.json)], replacing: Self.kind(volume))
        // One that had told nothing before answers with its volume as it was.
        try Self.check(status.volume, volume, of: device.name)
        return VolumeResult.json((device, status.volume, nil))
    }

    private func set(
        _ input: Input, ofMember id: String, on device: any ControlledDevice
    ) async throws(OperationProblem) -> JSONObject {
        guard let member = try await device.members().first(where: { $0.deviceID == id }) else {
            throw .missing("unknown_member", "\(device.name) has no member '\(id)'")
        }
        let volume = input.volume(from: member.volume)
        try Self.check(member.volume, volume, of: id)
        _ = try await device.ask(
            ["type": "SET_DEVICE_VOLUME", "deviceId": .string(id), "volume": .object(volume.json)], in: .multizone,
            replacing: "\(id) \(Self.kind(volume))")
        // The change was answered, whatever becomes of the question.
        let members = try? await device.members()
        return VolumeResult.json((device, members?.first { $0.deviceID == id }?.volume ?? volume, members))
    }

    private static func check(
        _ known: ReceiverVolume?, _ wanted: ReceiverVolume, of name: String
    ) throws(OperationProblem) {
        guard known?.controlType == .fixed, wanted.level != nil else { return }
        throw OperationProblem(deviceFailure: .unsupportedFeature, "the volume of \(name) is fixed")
    }

    /// Changes of the same parts replace one another.
    static func kind(_ volume: ReceiverVolume) -> String {
        switch (volume.level, volume.muted) {
        case (_?, nil): "level"
        case (nil, _?): "muted"
        default: "level and muted"
        }
    }
}

/// What becomes of the sound.
enum MuteChange: Sendable, Hashable {
    case muted(Bool)
    /// The other way round.
    case toggle

    /// Whether the sound is off then; a device that does not say is taken for one whose sound is on.
    func isMuted(from known: Bool?) -> Bool {
        switch self {
        case .muted(let isMuted): isMuted
        case .toggle: known != true
        }
    }
}

extension ConfigType where Value == MuteChange {
    /// `true`, `false`, or the word `toggle`.
    fileprivate static var muteWish: ConfigType {
        ConfigType(.oneOf(.boolean, .word("toggle")), text: { $0 == .toggle ? "toggle" : "\($0 == .muted(true))" }) {
            switch $0.content {
            case .boolean(let isMuted): .muted(isMuted)
            case .string("toggle"): .toggle
            default: nil
            }
        }
    }
}

extension SetVolume.Input {
    /// Whether what is asked for hangs on what the device says.
    fileprivate var isChange: Bool { self.by != nil || self.steps != nil || self.mute == .toggle }

    /// What the device is asked for; one that does not say how loud it is is taken for half as loud as it can be.
    fileprivate func volume(from known: ReceiverVolume?) -> ReceiverVolume {
        var volume = ReceiverVolume(level: self.level, muted: self.mute.map { $0.isMuted(from: known?.muted) })
        if let change = self.by ?? self.steps.map({ Double($0) * SessionTraits(known).volumeIncrement }) {
            // Devices tell levels with single precision; a sum of two is not to show more digits than they have.
            volume.level = (min(max((known?.level ?? 0.5) + change, 0), 1) * 10_000).rounded() / 10_000
        }
        return volume
    }
}

/// The volume of a device, as operations answer with it.
private struct VolumeResult: ResultRecord {
    typealias Source = (device: any ControlledDevice, volume: ReceiverVolume?, members: [MultizoneDevice]?)

    let device = Field("device", "The device") { $0.device.name }
    let kind = Field("kind", "Whether it is real or virtual") { $0.device.kind }
    let level = Embedded(VolumeLevelResult.self) { $0.volume }
    let control = Field.optional("control", "How it can be changed") { $0.volume?.controlType }
    let step = Field.optional("step", "By how much it is to be changed at once") { $0.volume?.stepInterval }
    let members = Field.optional(
        "members", listOf: MemberVolumeResult.self,
        "The members of a speaker group; missing when the device does not tell them"
    ) { $0.members }

    static let layout = ResultLayout(VolumeResult())
}

/// The volume of a member of a speaker group.
private struct MemberVolumeResult: ResultRecord {
    typealias Source = MultizoneDevice

    let id = Field.optional("id", "The member") { $0.deviceID }
    let name = Field.optional("name", "What people call it") { $0.name }
    let level = Embedded(VolumeLevelResult.self) { $0.volume }

    static let layout = ResultLayout(MemberVolumeResult())
}

/// The loudness of a device, as far as it says.
private struct VolumeLevelResult: ResultRecord {
    typealias Source = ReceiverVolume

    let level = Field.optional("level", "How loud it is, from 0 to 1; missing when the device does not say") {
        $0.level
    }
    let isMuted = Field.optional("muted", "Whether the sound is off") { $0.muted }

    static let layout = ResultLayout(VolumeLevelResult())
}
