import CastClient
import CastWire
import GatewayCore
import NIOCore
import SystemPrimitives

/// Finds the session that a call needs, on the event loop of its device: waits for what other callers have begun, and joins, resumes
/// or makes room for a session, as the wish says.
final class SessionSearch {
    /// The session that a caller needs.
    enum Wish: Sendable {
        /// A session through which the app is controlled: the one that there is, or one that joins what runs. Nothing is launched.
        /// - Parameter needsMedia: whether an app that plays no media is left alone.
        case control(needsMedia: Bool)
        /// A certain session. One that is something else ends, unless what is wanted cannot be joined.
        /// - Parameter isExclusive: whether a session that there is counts as an obstacle, whatever it is.
        case open(SessionTarget, isExclusive: Bool)
        /// A new session, when there is none.
        case begin(@Sendable (DeviceSession, _ number: Int) -> SessionHost?)
    }

    enum Outcome {
        case found(SessionHost)
        case failed(SessionFailure)
        /// Another object stands for the device now.
        case moved
    }

    /// The time that a resumed session waits for a device that is away.
    private static let resumePatience = TimeAmount.seconds(30)
    static let takenBack = SessionFailure(.cancelled, "the caller does not wait any more")
    /// The failures of a resumption whose app does not run any more.
    private static let codesOfAnAppThatIsGone: Set<CastErrorCode> = [
        .applicationNotRunning, .resumeSessionMismatch, .resumeApplicationMismatch, .sessionNotActive,
    ]

    private let call: DeviceCall
    private let wish: Wish
    private let nextNumber: () -> Int
    private let end: (Outcome) -> Void
    /// The number of looks that are left: other callers may start and end sessions meanwhile.
    private var looks = 8

    /// - Parameters:
    ///   - nextNumber: numbers a session that is begun.
    ///   - end: called once.
    init(_ wish: Wish, for call: DeviceCall, nextNumber: @escaping () -> Int, end: @escaping (Outcome) -> Void) {
        self.call = call
        self.wish = wish
        self.nextNumber = nextNumber
        self.end = end
    }

    private var device: DeviceSession { self.call.device }

    /// Looks what session there is, and does the next step.
    func look() {
        guard !self.call.isTakenBack else { return self.fail(Self.takenBack) }
        guard !self.device.isGone else { return self.end(.moved) }
        guard self.looks > 0 else {
            return self.fail(.invalidState, "other sessions with \(self.device.name) are started and ended just now")
        }
        self.looks -= 1
        guard let host = self.device.platform.session else { return self.begin() }
        switch self.wish {
        case .control: self.control(host)
        case .open(_, isExclusive: true):
            self.fail(.invalidState, "\(self.device.name) has a session already: \(host.number)")
        case .open(let aim, _): self.bring(host, to: aim)
        case .begin: self.fail(.invalidState, "\(self.device.name) has a session already")
        }
    }

    private func fail(_ failure: SessionFailure) { self.end(.failed(failure)) }

    private func fail(_ code: CastErrorCode, _ message: String) { self.fail(SessionFailure(code, message)) }

    // MARK: The session that there is

    private func control(_ host: SessionHost) {
        for operation in [SessionOperation.start, .resume] where host.isUnderWay(operation) {
            return self.wait(for: operation, of: host) { _ in self.look() }
        }
        guard !host.isGone else { return self.makeRoom(host) }
        guard host.isSuspended, self.device.isOnline, let status = self.device.platform.status else {
            return self.end(.found(host))
        }
        let facts = host.facts
        // A session whose app does not run any more ends.
        guard facts.sessionID.flatMap({ status.application(sessionID: $0) }) != nil else { return self.makeRoom(host) }
        if facts.suspendReason == .appBackgrounded {
            self.fail(
                .appDidEnterBackground,
                "the session with \(self.device.name) is suspended, since nothing uses it")
        } else {
            self.fail(.sessionNotActive, "the session with \(self.device.name) is suspended")
        }
    }

    private func bring(_ host: SessionHost, to aim: SessionTarget) {
        if host.isStarting {
            if case .app(let app, _) = aim, let own = host.app, own != app { return self.makeRoom(host) }
            return self.wait(for: .start, of: host) { _ in self.look() }
        }
        let facts = host.facts
        guard !host.isGone, aim.isMet(by: facts) else {
            if let obstacle = self.obstacle(to: aim) { return self.fail(obstacle) }
            return self.makeRoom(host)
        }
        guard facts.state != .connected else { return self.end(.found(host)) }
        let resumed = host.eventLoop.makePromise(of: SessionFailure?.self, within: Self.resumePatience) {
            $0.succeed(SessionFailure(.deviceNotConnected, "the device has not come back in time"))
        }
        self.wait(for: .resume, of: host, resumed) { failure in
            if let failure, !Self.codesOfAnAppThatIsGone.contains(failure.code) { return self.fail(failure) }
            self.look()
        }
        host.resume(.foreground)
    }

    /// The reason that a session cannot be joined, so that no other ends for it; nil for an app, which can always be tried.
    private func obstacle(to aim: SessionTarget) -> SessionFailure? {
        guard case .session(let id) = aim else { return nil }
        guard self.device.isOnline, let status = self.device.platform.status else {
            return SessionFailure(
                .deviceNotConnected, "\(self.device.name) is out of reach, so '\(id)' cannot be joined")
        }
        guard status.application(sessionID: id) == nil else { return nil }
        let running = status.applications.first { !$0.isIdleScreen }
        return SessionFailure(.joinSessionMismatch, "the session to be joined does not run", app: running?.appID)
    }

    private func makeRoom(_ host: SessionHost) {
        self.wait(for: .end, of: host) { failure in
            if let failure { self.fail(failure) } else { self.look() }
        }
        host.end(.leave)
    }

    /// Waits for the end of an operation.
    private func wait(
        for operation: SessionOperation, of host: SessionHost, _ given: EventLoopPromise<SessionFailure?>? = nil,
        then next: @escaping (SessionFailure?) -> Void
    ) {
        let promise = given ?? host.eventLoop.makePromise()
        host.wait(for: operation, promise)
        self.call.wait(for: promise.futureResult, givingUp: { promise.succeed(Self.takenBack) }, then: next)
    }

    // MARK: A session that is begun

    private func begin() {
        switch self.wish {
        case .begin(let make): self.start(make)
        case .open(let aim, _): self.start { aim.begin(on: $0, number: $1) }
        case .control:
            if self.device.isOnline, let status = self.device.platform.status { return self.join(status) }
            self.call.ask(["type": "GET_STATUS"], in: .receiver) { outcome in
                do throws(RequestError) {
                    self.join(ReceiverStatusPayload(json: try outcome.get()).status)
                } catch {
                    self.fail(SessionFailure(error))
                }
            }
        }
    }

    /// Joins what runs, if `sessions.join` lets operations do so.
    private func join(_ status: ReceiverStatus?) {
        let running = (status?.applications ?? []).filter { !$0.isIdleScreen && $0.sessionID != nil }
        guard !running.isEmpty else {
            return self.fail(.applicationNotRunning, "no app runs on \(self.device.name)")
        }
        let apps =
            switch self.device.settings.sessions.join {
            case .any: running
            case .own: running.filter { $0.sessionID.map(self.device.owned.contains) ?? false }
            case .never: [ReceiverApplication]()
            }
        guard !apps.isEmpty else {
            return self.fail(
                SessionFailure(
                    .notAllowed,
                    "what runs on \(self.device.name) may not be joined: sessions.join keeps it to session.start",
                    app: running.first?.appID))
        }
        let needsMedia = if case .control(needsMedia: true) = self.wish { true } else { false }
        guard let app = apps.first(where: { !needsMedia || $0.namespaces.contains(.media) }) else {
            return self.fail(.unsupportedFeature, "the app on \(self.device.name) plays no media")
        }
        self.start { $0.joinSession(number: $1, sessionID: app.sessionID ?? "") }
    }

    /// Starts a session, and waits until its app can be spoken to.
    private func start(_ make: (DeviceSession, _ number: Int) -> SessionHost?) {
        guard !self.call.isTakenBack else { return self.fail(.cancelled, "the start was cancelled") }
        guard !self.device.isGone else { return self.end(.moved) }
        guard self.device.platform.session == nil, let host = make(self.device, self.nextNumber()) else {
            return self.look()
        }
        // The device may launch the app all the same when the caller leaves.
        self.call.wait(
            for: host.wait(for: .start), givingUp: { if host.isStarting { host.end(.leave) } },
            then: { failure in self.end(failure.map { Outcome.failed($0) } ?? .found(host)) })
        host.start()
    }
}
