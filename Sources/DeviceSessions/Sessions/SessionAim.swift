public import CastClient
public import CastWire
import GatewayCore
import NIOCore

/// What a caller wants to have a session with.
public enum SessionAim: Sendable {
    /// An app, which is joined when it runs, and launched otherwise.
    case app(AppID, LaunchOptions)
    /// A session that runs, by the device's id of it; nothing is launched.
    case session(String)

    /// Whether a session is that.
    func isMet(by session: CastSessionFacts) -> Bool {
        switch self {
        case .session(let id): session.sessionID == id
        case .app(_, let options) where options.relaunchesIfRunning: false
        case .app(let app, _): session.appID == app || session.app?.matches(app) == true
        }
    }
}

extension CastSession {
    /// Brings the session to where it is what a caller wants; one that is something else ends, to make room.
    ///
    /// One is not ended for a session that cannot be joined: because the device says that it does not run, or is out of reach.
    /// - Returns: false when it has to be looked at again what there is.
    /// - Throws: ``SessionFailure``: `joinSessionMismatch` and `deviceNotConnected` in these cases, and as for
    ///   ``resume(_:within:)``.
    func comes(to aim: SessionAim) async throws(SessionFailure) -> Bool {
        switch try await self.read({ $0.distance(from: aim) }) {
        case .none: return true
        case .starting: try await self.settles(.start)
        case .away:
            do throws(SessionFailure) {
                try await self.resume()
            } catch  where SessionFailure.codesOfAnAppThatIsGone.contains(error.code) {
                return false
            }
        case .other: try await self.end(.leave)
        case .otherThan(let failure): throw failure
        }
        return false
    }

    /// Waits for a session that is being started or resumed; one that is suspended, and whose app is gone, ends.
    /// - Returns: false when there is none any more.
    /// - Throws: ``SessionFailure``: when it is suspended, and its device is in reach, `appDidEnterBackground` where that is so since it
    ///   is not used, and else `sessionNotActive`.
    func becomesControllable() async throws(SessionFailure) -> Bool {
        try await self.settles(.start)
        try await self.settles(.resume)
        switch try await self.read({ $0.control }) {
        case .possible: return true
        case .over: return false
        case .gone:
            try await self.end(.leave)
            return false
        case .suspended(let reason): throw SessionFailure(suspended: reason, "the session with \(self.device)")
        }
    }

    /// Waits for the end of an operation that is under way. How that ended is told to the caller that began it.
    private func settles(_ operation: SessionOperation) async throws(SessionFailure) {
        do throws(SessionFailure) {
            try await self.operate(operation) { host, promise in
                if !host.isUnderWay(operation) { promise.succeed(nil) }
            }
        } catch  where !Task.isCancelled {}
    }
}

extension SessionFailure {
    /// Why nothing can be asked of a suspended session.
    /// - Parameters:
    ///   - reason: why it is suspended.
    ///   - subject: what is suspended, as the beginning of a sentence.
    init(suspended reason: SessionSuspendReason, _ subject: String) {
        if reason == .appBackgrounded {
            self.init(.appDidEnterBackground, "\(subject) is suspended, since nothing uses it")
        } else {
            self.init(.sessionNotActive, "\(subject) is suspended")
        }
    }

    /// Why a session is not resumed that does not run any more.
    fileprivate static let codesOfAnAppThatIsGone: Set<CastErrorCode> = [
        .applicationNotRunning, .resumeSessionMismatch, .resumeApplicationMismatch, .sessionNotActive,
    ]
}

extension SessionHost {
    /// How far a session is from what a caller wants.
    fileprivate enum Distance {
        /// It is that, and its app can be spoken to.
        case none
        /// It may be that once it has started.
        case starting
        /// It is that, and is suspended, or its device is away.
        case away
        /// It is something else.
        case other
        /// It is something else, and what is wanted instead cannot be joined.
        case otherThan(SessionFailure)
    }

    /// Whether an app can be controlled through a session.
    fileprivate enum Control {
        case possible
        case over
        /// It is suspended, and its app runs.
        case suspended(SessionSuspendReason)
        /// Its app does not run any more.
        case gone
    }

    fileprivate func distance(from aim: SessionAim) -> Distance {
        if self.isStarting {
            if case .app(let app, _) = aim, let own = self.app, own != app { return .other }
            return .starting
        }
        let facts = self.facts
        guard !self.isGone, aim.isMet(by: facts) else { return self.obstacle(to: aim).map { .otherThan($0) } ?? .other }
        return facts.state == .connected ? .none : .away
    }

    /// Why a session that a caller wants to join cannot be; nil for an app, which can always be tried.
    private func obstacle(to aim: SessionAim) -> SessionFailure? {
        guard case .session(let id) = aim else { return nil }
        guard self.device.isOnline, let status = self.device.platform.status else {
            return SessionFailure(
                .deviceNotConnected, "\(self.device.name) is out of reach, so '\(id)' cannot be joined")
        }
        guard status.application(sessionID: id) == nil else { return nil }
        let running = status.applications.first { !$0.isIdleScreen }
        return SessionFailure(.joinSessionMismatch, "the session to be joined does not run", app: running?.appID)
    }

    fileprivate var control: Control {
        if self.isEnded { return .over }
        if self.isGone { return .gone }
        guard self.isSuspended, self.device.isOnline, let status = self.device.platform.status else { return .possible }
        let facts = self.facts
        let isThere = facts.sessionID.flatMap { status.application(sessionID: $0) } != nil
        return isThere ? .suspended(facts.suspendReason) : .gone
    }
}
