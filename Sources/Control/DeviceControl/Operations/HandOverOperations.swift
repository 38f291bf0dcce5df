import CastClient
import CastWire
import DeviceSessions
import FeatureContract
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
    static let result = HandOverResult.result("What to go on with")
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
            HandoverRegistry.Entry(session: session.number, state: stored.state, mediaSessionID: playing, until: until))
        let app = try? await session.facts.app?.appID
        let level = try? await session.deviceStatus?.volume?.level
        return HandOverResult.json((session, stored, app, level, self.controls.context.seconds(of: until)))
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
    static let result = HandedOverSessionResult.result("The session then")
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
        let then: SessionResult.Source
        do throws(OperationProblem) {
            if !input.isTaken { isRestored = try await Self.restore(entry, in: session) }
            then = try await self.settle(session, isTaken: input.isTaken)
        } catch {
            // The caller may say it again.
            self.controls.handOvers.add(entry)
            throw error
        }
        let end = self.controls.endedSession(.number(session.number), for: caller)
        return HandedOverSessionResult.json(((then, end), input.isTaken, isRestored))
    }

    private func settle(_ session: CastSession, isTaken: Bool) async throws(OperationProblem) -> SessionResult.Source {
        do throws(SessionFailure) {
            if isTaken {
                try await session.end(.stop)
                await self.controls.devices.directory.settleRecords()
            }
            return try await SessionResult.Source(session, in: self.controls.context)
        } catch {
            throw OperationProblem(error)
        }
    }

    /// Loads again what a device played, when it plays that no more.
    /// - Returns: false when it still plays it.
    private static func restore(
        _ entry: HandoverRegistry.Entry, in session: CastSession
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

/// The playback that a caller goes on with.
struct HandOverResult: ResultRecord {
    typealias Source = (
        session: CastSession, stored: (state: SessionState, isOfApp: Bool), app: AppID?, level: Double?, until: Int
    )

    let id = Field("id", "The number of the session") { $0.session.number }
    let device = Field("device", "The device") { $0.session.device }
    let app = Field.optional("app", "The id of the app") { $0.app?.rawValue }
    let state = Field("state", "What plays, and where it is: `loadRequestData` is what a LOAD would carry") {
        $0.stored.state.json
    }
    let isOfApp = Field("of_app", "Whether the app described it itself") { $0.stored.isOfApp }
    let level = Field.optional("level", "How loud the device is, from 0 to 1") { $0.level }
    let until = Field("until", "Until when the caller may say what came of it, in seconds since 1970") { $0.until }

    static let layout = ResultLayout(HandOverResult())
}

/// A session whose playback was given to a caller.
struct HandedOverSessionResult: ResultRecord {
    typealias Source = (session: EndedSessionResult.Source, isTaken: Bool, isRestored: Bool)

    let session = Embedded(EndedSessionResult.self) { $0.session }
    let isStopped = Field("stopped", "Whether the app was stopped") { $0.isTaken }
    let isRestored = Field("restored", "Whether the device had to load again what it played") { $0.isRestored }

    static let layout = ResultLayout(HandedOverSessionResult())
}
