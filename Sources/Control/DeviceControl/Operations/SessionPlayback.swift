import CastClient
import CastWire
import DeviceSessions
import FeatureContract
import GatewayConfig
import GatewayCore
import GatewayOperations

/// `session.transfer`
struct TransferSession: DeviceControlOperation {
    struct Input: OperationInput {
        var session = SessionReference.number(0)
        var target = DeviceReference("")
        var timeout = 60.0

        static let keys: [Key] = [
            .session(\.session),
            .required("to", \.target, .device, "The other device, a real one", example: "kitchen"),
            Key("timeout", \.timeout, .number(1...600), "How many seconds it may take until the other device plays"),
        ]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "session.transfer"
    static let route = OperationRoute(.post, "/sessions/{session}/transfer")
    static let scope = OperationScope.control
    static let isCommand = true
    static let reach = OperationReach.device
    static let summary = "Moves what a session plays to another device"
    static let details =
        "The app is started there, and the session ends when the other device plays. Otherwise it goes on where it was."
    static let result = TransferredSessionResult.result("The session on the other device")
    static let problems =
        DeviceProblem.session + DeviceProblem.named + [
            SessionInput.notReal,
            OperationProblemCase("not_transferable", 409, "there is nothing to take along"),
            OperationProblemCase("invalid_state", 409, "the other device has a session already"),
            OperationProblemCase(
                "transfer_failed", 502,
                "the other device does not play; `rolled_back` says whether the first one does again"),
        ]

    let controls: DeviceControls

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let session = try await self.controls.ownSession(input.session, for: caller)
        let target = try self.controls.device(input.target, for: caller)
        guard target.kind == .real else {
            throw OperationProblem("not_real", status: 409, "'\(input.target.text)' is a virtual device")
        }
        guard target.name != session.device else {
            throw OperationProblem(deviceFailure: .invalidRequest, "the session is on \(target.name) already")
        }
        let directory = self.controls.devices.directory
        if let present = await directory.currentSession(device: target.name) {
            throw OperationProblem(
                deviceFailure: .invalidState, "\(target.name) has the session \(present.number), which has to end first"
            )
        }
        let (other, result): (CastSession, TransferResult)
        do throws(TransferFailure) {
            (other, result) = try await directory.transfer(
                session, to: target.name, timeout: .milliseconds(Int64(input.timeout * 1000)))
        } catch {
            throw Self.problem(error)
        }
        await directory.settleRecords()
        return TransferredSessionResult.json(
            (try await ControlledSession.own(other).result(in: self.controls.context), result))
    }

    private static func problem(_ failure: TransferFailure) -> OperationProblem {
        var members: JSONObject = [:]
        members["rolled_back"] = failure.wasRolledBack.map { .bool($0) }
        switch failure.reason {
        case .storeState: return OperationProblem("not_transferable", status: 409, failure.message, members: members)
        case .timeout: return OperationProblem("timeout", status: 504, failure.message, members: members)
        case .target, .playback:
            return OperationProblem("transfer_failed", status: 502, failure.message, members: members)
        }
    }
}

/// `session.snapshot`
struct SnapshotSession: DeviceControlOperation {
    static let name: OperationName = "session.snapshot"
    static let route = OperationRoute(.get, "/sessions/{session}/snapshot")
    static let scope = OperationScope.control
    static let reach = OperationReach.device
    static let summary = "Writes down what plays in a session, so that it can be played again"
    static let details =
        "`session.restore` takes `state`, `level` and `muted` of the answer. The app is asked for its queue, for 10 seconds at most; `limits` says when it is not known whole."
    static let result = PlaybackSnapshotResult.result("What plays")
    static let problems = [SessionInput.unknown] + DeviceProblem.sessionRead

    let controls: DeviceControls

    func perform(_ input: SessionInput, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let snapshot: PlaybackSnapshot
        switch try await self.controls.session(input.session, for: caller) {
        case .own(let session): snapshot = await session.snapshot()
        case .virtual(let device, let session):
            let status = try? await device.status()
            let media = MediaSnapshot(session, at: device.now)
            let queue = await MediaQueue.read(from: media) { command in try? await device.perform(command).reply }
            snapshot = PlaybackSnapshot(media, queue: queue, volume: status?.volume, at: device.now)
        }
        return PlaybackSnapshotResult.json(snapshot)
    }
}

/// `session.restore`
struct RestoreSession: DeviceControlOperation {
    struct Input: RuledInput {
        var session = SessionReference.number(0)
        var state = JSONValue.null
        var level: Double?
        var isMuted: Bool?

        static let keys: [Key] = [
            .session(\.session),
            .required("state", \.state, .json, "`state` of `session.snapshot`"),
            .optional("level", \.level, .number(0...1), "How loud the device is made, from 0 to 1"),
            .optional("muted", \.isMuted, .boolean, "Whether its sound is turned off"),
        ]

        static let rules: [InputRule] = [.objects(["state"])]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "session.restore"
    static let scopedParts = ["credentials", "atvCredentials"].map {
        ScopedPart("state", "loadRequestData", $0, scope: .credentials)
    }
    static let route = OperationRoute(.post, "/sessions/{session}/restore")
    static let scope = OperationScope.control
    static let isCommand = true
    static let reach = OperationReach.device
    static let summary = "Plays again what was written down, from where it was"
    static let result = MediaResult.result("How the media stands then")
    static let problems = [SessionInput.unknown] + DeviceProblem.media.filter { !DeviceProblem.named.contains($0) }

    let controls: DeviceControls

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let device: any ControlledDevice
        switch try await self.controls.session(input.session, for: caller) {
        case .own(let session): device = self.controls.realDevice(of: session, for: caller)
        case .virtual(let virtual, _): device = virtual
        }
        guard let load = SessionState(json: input.state.objectValue ?? [:]).loadRequestData else {
            throw OperationProblem(deviceFailure: .invalidRequest, "the state has no loadRequestData")
        }
        let volume = ReceiverVolume(level: input.level, muted: input.isMuted)
        if volume.level != nil || volume.muted != nil {
            _ = try await device.askStatus(
                ["type": "SET_VOLUME", "volume": .object(volume.json)], replacing: SetVolume.kind(volume))
        }
        return MediaResult.json(device, try await device.perform(.load(load)).media)
    }
}

/// `session.announce`
struct AnnounceInSession: DeviceControlOperation {
    struct Input: OperationInput {
        var session = SessionReference.number(0)
        var url = ""
        var contentType: String?
        var level: Double?
        var timeout = 120.0

        static let keys: [Key] = [
            .session(\.session),
            .required(
                "url", \.url, .text(maximumBytes: 8192), "Where the announcement is",
                example: "http://192.0.2.9/doorbell.mp3"),
            .optional("content_type", \.contentType, .text(maximumBytes: 256), "Its MIME type", example: "audio/mpeg"),
            .optional("level", \.level, .number(0...1), "How loud, from 0 to 1; without it as loud as it is"),
            Key("timeout", \.timeout, .number(1...600), "How many seconds it may last"),
        ]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "session.announce"
    static let route = OperationRoute(.post, "/sessions/{session}/announce")
    static let scope = OperationScope.control
    static let isCommand = true
    static let reach = OperationReach.device
    static let summary = "Plays something in between, then goes on with what played, where and as loud as it was"
    static let details =
        "It is played by the app of the session, and answered when it is over and what played before goes on."
    static let result = AnnouncedResult.result("What became of it")
    static let problems =
        DeviceProblem.session + [
            SessionInput.notReal,
            OperationProblemCase(
                "media_load_failed", 502,
                "the announcement was not played; the members of the result say what was brought back"),
        ]

    let controls: DeviceControls

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let session = try await self.controls.ownSession(input.session, for: caller)
        var medium = MediaInformation()
        medium.contentURL = input.url
        if let type = input.contentType { medium.contentType = type }
        let result = await session.announce(
            medium, level: input.level, timeout: .milliseconds(Int64(input.timeout * 1000)))
        let json = AnnouncedResult.json(result)
        guard result.end != .failed else {
            throw OperationProblem(
                deviceFailure: .mediaLoadFailed, result.failures.first ?? "the announcement was not played",
                members: json)
        }
        return json
    }
}

/// A session to which playback was moved.
struct TransferredSessionResult: ResultRecord {
    typealias Source = (session: SessionResult.Source, transfer: TransferResult)

    let session = Embedded(SessionResult.self) { $0.session }
    let way = Field(
        "way", "Whether the other device took over the state, or loaded what played anew",
        as: .word(["resumed", "loaded"])
    ) { $0.transfer.way.rawValue }
    let isStopped = Field("stopped", "Whether the first device could be stopped") { $0.transfer.isOriginStopped }

    static let layout = ResultLayout(TransferredSessionResult())
}

/// The playback in a session, fit to be played again.
struct PlaybackSnapshotResult: ResultRecord {
    typealias Source = PlaybackSnapshot

    let app = Field.optional("app", "The id of the app") { $0.appID?.rawValue }
    let playerState = Field("player_state", "What the player does") { $0.playerState }
    let level = Field.optional("level", "How loud the device is, from 0 to 1") { $0.volume?.level }
    let isMuted = Field.optional("muted", "Whether its sound is off") { $0.volume?.muted }
    let state = Field.optional("state", "What to load, from where; missing when nothing can be loaded") {
        $0.state?.json
    }
    let limits = Field("limits", "What cannot be brought back, or perhaps not", as: Self.limit) {
        $0.limits.map(\.word)
    }

    static let limit = OperationResult.Kind.list(.word(PlaybackSnapshot.Limit.allCases.map(\.word)))

    static let layout = ResultLayout(PlaybackSnapshotResult())
}

/// The outcome of an announcement.
struct AnnouncedResult: ResultRecord {
    typealias Source = AnnouncementResult

    let end = Field(
        "end", "How the announcement ended", as: .word(AnnouncementResult.End.allCases.map(\.word))
    ) { $0.end.word }
    let isMediaRestored = Field("media_restored", "Whether what played before plays again") { $0.isMediaRestored }
    let isVolumeRestored = Field("volume_restored", "Whether the device is as loud as before") {
        $0.isVolumeRestored
    }
    let limits = Field(
        "limits", "What could not be brought back, or perhaps not", as: PlaybackSnapshotResult.limit
    ) { $0.limits.map(\.word) }
    let failures = Field("failures", "What failed, in sentences") { $0.failures }

    static let layout = ResultLayout(AnnouncedResult())
}

extension RawRepresentable<String> {
    /// The name of a case as callers read it: `cutOff` is `cut_off`.
    fileprivate var word: String {
        self.rawValue.reduce(into: "") { word, letter in
            if letter.isUppercase { word.append("_") }
            word += letter.lowercased()
        }
    }
}
