import CastClient
import CastWire
import DeviceSessions
import GatewayConfig
import GatewayCore
import GatewayOperations
import NIOCore

/// `session.hand_over`
struct HandOverSession: DeviceControlOperation {
    struct Input: OperationInput {
        var session = SessionReference.number(0)
        var timeout = 60.0

        static let keys: [Key] = [
            .session(\.session),
            Key(
                "timeout", \.timeout, .number(1...600),
                "For how many seconds the caller may say with `session.handed_over` what came of it"),
        ]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "session.hand_over"
    static let route = OperationRoute(.post, "/sessions/{session}/hand-over")
    static let scope = OperationScope.control
    static let isCommand = true
    static let reach = OperationReach.device
    static let summary = "Gives a caller what plays in a session, to go on with it outside of Cast"
    static let details =
        "The app describes its state itself where it can (STORE_SESSION); otherwise it is made of what is known of the media and the queue. The device "
        + "plays on until `session.handed_over` says that the caller plays. When nothing is said in time, nothing happens."
    static let result = OperationResult(
        "What to go on with",
        [
            .init("id", .integer, "The number of the session"), .init("device", .text, "The device"),
            .optional("app", .text, "The id of the app"),
            .init(
                "state", .map(.anything), "What plays, and where it is: `loadRequestData` is what a LOAD would carry"),
            .init("of_app", .boolean, "Whether the app described it itself"),
            .optional("level", .number, "How loud the device is, from 0 to 1"),
            .init("until", .integer, "Until when the caller may say what came of it, in seconds since 1970"),
        ])
    static let problems =
        DeviceProblem.session + [
            SessionInput.notReal, OperationProblemCase("not_transferable", 409, "there is nothing to take along"),
        ]

    let controls: DeviceControls

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let session = try await self.controls.ownSession(input.session, for: caller)
        let playing = session.media.snapshot.mediaSessionID
        guard let stored = await session.storedState() else {
            throw OperationProblem("not_transferable", status: 409, "nothing plays that could be taken along")
        }
        let until = NIODeadline.now() + .milliseconds(Int64(input.timeout * 1000))
        self.controls.handOvers.add(
            HandOverBook.Entry(session: session.number, state: stored.state, mediaSessionID: playing, until: until))
        var json: JSONObject = [
            "id": .number(session.number), "device": .string(session.device), "state": .object(stored.state.json),
            "of_app": .bool(stored.isOfApp), "until": self.controls.context.time(of: until),
        ]
        json["app"] = (try? await session.facts.app?.appID).map { .string($0.rawValue) }
        json["level"] = (try? await session.deviceStatus?.volume?.level).map { .number($0) }
        return json
    }
}

/// `session.handed_over`
struct SettleHandOver: DeviceControlOperation {
    struct Input: OperationInput {
        var session = SessionReference.number(0)
        var isTaken = true

        static let keys: [Key] = [
            .session(\.session),
            Key(
                "taken", \.isTaken, .boolean,
                "Whether the caller plays now, so that the device is stopped; otherwise the device goes on, and loads again what it played when it "
                    + "does not play that any more"),
        ]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "session.handed_over"
    static let route = OperationRoute(.post, "/sessions/{session}/handed-over")
    static let scope = OperationScope.control
    static let isCommand = true
    static let reach = OperationReach.device
    static let summary = "Says what came of `session.hand_over`: the caller plays, or the device goes on"
    static let result = OperationResult(
        "The session then",
        SessionResult.members + SessionResult.endMembers + [
            .init("stopped", .boolean, "Whether the app was stopped"),
            .init("restored", .boolean, "Whether the device had to load again what it played"),
        ])
    static let problems =
        DeviceProblem.session + [
            SessionInput.notReal,
            OperationProblemCase(
                "not_handed_over", 409, "nothing of the session was given to a caller, or its time is over"),
        ]
        + DeviceProblem.media.filter { problem in
            !(DeviceProblem.session + DeviceProblem.named).contains { $0.code == problem.code }
        }

    let controls: DeviceControls

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let session = try await self.controls.ownSession(input.session, for: caller)
        guard let entry = self.controls.handOvers.take(session.number) else {
            throw OperationProblem(
                "not_handed_over", status: 409, "nothing of the session \(session.number) was given to a caller in time"
            )
        }
        var isRestored = false
        var json: JSONObject
        do throws(OperationProblem) {
            if !input.isTaken { isRestored = try await Self.restore(entry, in: session) }
            json = try await self.settle(session, isTaken: input.isTaken)
        } catch {
            // The caller may say it again.
            self.controls.handOvers.add(entry)
            throw error
        }
        if let ended = self.controls.endedSession(.number(session.number), for: caller) {
            json = SessionResult.add(ended, to: json, in: self.controls.context)
        }
        json["stopped"] = .bool(input.isTaken)
        json["restored"] = .bool(isRestored)
        return json
    }

    private func settle(_ session: CastSession, isTaken: Bool) async throws(OperationProblem) -> JSONObject {
        do throws(SessionFailure) {
            if isTaken {
                try await session.end(.stop)
                await self.controls.devices.directory.settleRecords()
            }
            return try await SessionResult.json(session, in: self.controls.context)
        } catch {
            throw OperationProblem(error)
        }
    }

    /// Loads again what a device played, when it plays that no more.
    /// - Returns: false when it still plays it.
    private static func restore(
        _ entry: HandOverBook.Entry, in session: CastSession
    ) async throws(OperationProblem) -> Bool {
        let snapshot = session.media.snapshot
        if snapshot.hasMediaSession, snapshot.mediaSessionID == entry.mediaSessionID { return false }
        guard let load = entry.state.loadRequestData else { return false }
        do throws(RequestError) {
            _ = try await session.media.perform(.load(load))
            return true
        } catch {
            throw OperationProblem(error)
        }
    }
}
