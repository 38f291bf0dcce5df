import CastClient
package import CastWire
import FeatureContract
import GatewayConfig
package import GatewayOperations

/// `media.play`
struct PlayMedia: MediaOperation {
    typealias Input = MediaInput

    static let name: OperationName = "media.play"
    static let route = OperationRoute(.post, "/devices/{device}/media/play")
    static let summary = "Goes on playing"

    let controls: DeviceControls

    func command(_ input: MediaInput) -> MediaCommand { .play().with(input.customData) }
}

/// `media.pause`
struct PauseMedia: MediaOperation {
    typealias Input = MediaInput

    static let name: OperationName = "media.pause"
    static let route = OperationRoute(.post, "/devices/{device}/media/pause")
    static let summary = "Pauses"

    let controls: DeviceControls

    func command(_ input: MediaInput) -> MediaCommand { .pause().with(input.customData) }
}

/// `media.stop`
struct StopMedia: MediaOperation {
    typealias Input = MediaInput

    static let name: OperationName = "media.stop"
    static let route = OperationRoute(.post, "/devices/{device}/media/stop")
    static let summary = "Ends what plays; the app stays"

    let controls: DeviceControls

    func command(_ input: MediaInput) -> MediaCommand { .stop().with(input.customData) }
}

/// `media.skip_ad`
struct SkipAd: MediaOperation {
    typealias Input = MediaInput

    static let name: OperationName = "media.skip_ad"
    static let route = OperationRoute(.post, "/devices/{device}/media/skip-ad")
    static let summary = "Skips the clip of the break that plays"

    let controls: DeviceControls

    func command(_ input: MediaInput) -> MediaCommand { .skipAd().with(input.customData) }
}

/// `media.seek`
struct SeekMedia: MediaOperation {
    struct Input: DeviceInput, RuledInput {
        /// What the player does behind a seek.
        enum Resume: String, Sendable, CaseIterable {
            case unchanged, play, pause

            var state: ResumeState? {
                switch self {
                case .unchanged: nil
                case .play: .start
                case .pause: .pause
                }
            }
        }

        var device = DeviceReference("")
        var position: Double?
        var by: Double?
        var isToEnd: Bool?
        var resume = Resume.unchanged
        var customData: JSONValue?

        static let keys: [Key] = [
            .device(\.device),
            .optional("position", \.position, .number(0...1e9), "Where to, in seconds from the start", example: "90"),
            .optional("by", \.by, .number(-1e9...1e9), "How far, in seconds; back below zero", example: "-10"),
            .optional("to_end", \.isToEnd, .boolean, "Whether to go to the live edge, or to the end of what has one"),
            Key("resume", \.resume, .word, "What the player does then"),
            .customData(\.customData),
        ]

        static let rules: [InputRule] = [.one(of: ["position", "by", "to_end"])]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "media.seek"
    static let route = OperationRoute(.post, "/devices/{device}/media/seek")
    static let summary = "Goes to another position"
    static let details =
        "A newer seek takes the place of one that waits for the app's answer." + " " + Self.sessionStays

    let controls: DeviceControls

    func command(_ input: Input) throws(OperationProblem) -> MediaCommand {
        let resume = input.resume.state
        let command: MediaCommand
        if let position = input.position {
            command = .seek(to: position, then: resume)
        } else if let by = input.by {
            command = .seek(by: by, then: resume)
        } else {
            guard input.isToEnd == true else {
                throw OperationProblem(deviceFailure: .invalidRequest, "there is nowhere to go to")
            }
            command = .seekToEnd(then: resume)
        }
        return command.with(input.customData)
    }
}

/// `media.rate`
struct SetPlaybackRate: MediaOperation {
    struct Input: DeviceInput, RuledInput {
        var device = DeviceReference("")
        var rate: Double?
        var factor: Double?
        var customData: JSONValue?

        static let keys: [Key] = [
            .device(\.device),
            .optional(
                "rate", \.rate, .number(0.01...100),
                "How fast to play; 1 is normal, and receivers take 0.5 to 2 unless the app says otherwise",
                example: "1.5"),
            .optional("factor", \.factor, .number(0.01...100), "By how much to multiply the rate", example: "2"),
            .customData(\.customData),
        ]

        static let rules: [InputRule] = [.one(of: ["rate", "factor"])]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "media.rate"
    static let route = OperationRoute(.post, "/devices/{device}/media/rate")
    static let summary = "Plays faster or slower"

    let controls: DeviceControls

    func command(_ input: Input) -> MediaCommand {
        let command: MediaCommand =
            if let factor = input.factor { .multiplyPlaybackRate(by: factor) } else {
                .setPlaybackRate(input.rate ?? 1)
            }
        return command.with(input.customData)
    }
}

/// `media.stream_volume`
struct SetStreamVolume: MediaOperation {
    struct Input: DeviceInput, RuledInput {
        var device = DeviceReference("")
        var level: Double?
        var isMuted: Bool?
        var customData: JSONValue?

        static let keys: [Key] = [
            .device(\.device),
            .optional("level", \.level, .number(0...1), "How loud, from 0 to 1", example: "0.5"),
            .optional("muted", \.isMuted, .boolean, "Whether the sound is off"),
            .customData(\.customData),
        ]

        static let rules: [InputRule] = [.any(of: ["level", "muted"])]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "media.stream_volume"
    static let route = OperationRoute(.put, "/devices/{device}/media/volume")
    static let summary = "Sets the volume of what plays, which is not the device's"
    static let details =
        "A newer change takes the place of one that waits for the app's answer." + " " + Self.sessionStays

    let controls: DeviceControls

    func command(_ input: Input) -> MediaCommand {
        var command: MediaCommand =
            if let level = input.level { .setStreamVolume(level) } else { .setStreamMuted(input.isMuted ?? false) }
        var volume = MediaVolume()
        volume.level = input.level
        volume.isMuted = input.isMuted
        command.body["volume"] = .object(volume.json)
        return command.with(input.customData)
    }
}

/// `media.status`
struct GetMedia: DeviceControlOperation {
    struct Input: DeviceInput {
        var device = DeviceReference("")
        var isWhole = false

        static let keys: [Key] = [
            .device(\.device),
            Key("whole", \.isWhole, .boolean, "Whether the whole status is wanted, as the app told it"),
        ]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "media.status"
    static let route = OperationRoute(.get, "/devices/{device}/media")
    static let scope = OperationScope.read
    static let reach = OperationReach.device
    static let summary = "Shows what plays on a device, as far as it is known without asking"
    static let details =
        "Of a real device that is what the gateway's own session knows, or what its app said last to a sender of the gateway's."
    static let result = MediaStatusResult.result("How the media stands")
    static let problems = DeviceProblem.named

    let controls: DeviceControls

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let device = try self.controls.device(input.device, for: caller)
        let media = MediaResult.Source(device: device, media: await device.media())
        return MediaStatusResult.json((media, input.isWhole))
    }
}

/// The media of a device, and the status that its app told.
package struct MediaStatusResult: ResultRecord {
    package typealias Source = (media: MediaResult.Source, isWhole: Bool)

    package let media = Embedded(MediaResult.self) { $0.media }
    package let status = Field.optional("status", "With `whole`: an element of `status` of the app's MEDIA_STATUS") {
        $0.isWhole ? $0.media.media.status?.json : nil
    }

    package static let layout = ResultLayout(MediaStatusResult())
}
