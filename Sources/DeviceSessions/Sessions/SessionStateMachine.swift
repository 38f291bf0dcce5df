import CastWire
import GatewayCore
import NIOCore

/// One session with an app on one device, from the wish to the end (protocol notes, 8; the listeners of the Cast SDKs).
///
/// Holds no channel, no timer and no store: its owner says what happened, passes instants in, and does what it is told, in
/// order. Nothing is ever launched but by ``start(at:status:)``: a session that is lost is joined again, or ends.
struct SessionStateMachine {
    /// How long a device may take to come in reach and to say what runs.
    static let startTimeout = TimeAmount.seconds(30)
    /// How long a launch may take while the device asks its user (protocol notes, 7).
    static let consentTimeout = TimeAmount.seconds(120)
    /// How long to wait before a launch that another one has cancelled (protocol notes, 9, 9).
    static let relaunchPause = TimeAmount.seconds(1)
    /// How often an app may close the connection within a minute before it counts as gone (protocol notes, 9, 2).
    private static let maximumReconnects = 3
    private static let reconnectPeriod = TimeAmount.seconds(60)

    /// The app that was asked for; nil when a session is joined by its id.
    let app: AppID?
    /// The session to be joined; nil when it is found by its app.
    let sessionID: String?
    let options: LaunchOptions
    var isPolite: Bool
    var suspendAfter: TimeAmount
    var state: State
    /// How often the app has closed the connection since the device was there anew, or in the period that began then.
    var reconnects = 0
    private var reconnectsSince = NIODeadline.uptimeNanoseconds(0)
    /// True while it is asked whether an app still runs that has closed the connection.
    var isDoubted = false

    /// A session that is to be started.
    /// - Parameters:
    ///   - app: the app to join or launch.
    ///   - isPolite: whether a session is given up when its app was launched anew by somebody else.
    ///   - suspendAfter: how long the device may be out of reach before that is told.
    init(app: AppID, options: LaunchOptions, isPolite: Bool, suspendAfter: TimeAmount, at now: NIODeadline) {
        self.app = app
        self.sessionID = nil
        self.options = options
        self.isPolite = isPolite
        self.suspendAfter = suspendAfter
        self.state = .starting(Start(phase: .linking, deadline: now + Self.startTimeout))
    }

    /// A session that is to be joined by its id, and is never launched.
    init(joining sessionID: String, isPolite: Bool, suspendAfter: TimeAmount, at now: NIODeadline) {
        self.app = nil
        self.sessionID = sessionID
        self.options = LaunchOptions()
        self.isPolite = isPolite
        self.suspendAfter = suspendAfter
        self.state = .starting(Start(phase: .linking, deadline: now + Self.startTimeout))
    }

    /// A session of an earlier run, to be taken up again if it still runs; one that was suspended on request stays so.
    init(
        restoring application: ReceiverApplication, app: AppID?, options: LaunchOptions,
        suspendReason: SessionSuspendReason = .none, isPolite: Bool, suspendAfter: TimeAmount
    ) {
        self.app = app
        self.sessionID = nil
        self.options = options
        self.isPolite = isPolite
        self.suspendAfter = suspendAfter
        self.state = .suspended(application, suspendReason == .appBackgrounded ? suspendReason : .appTerminated)
    }

    // MARK: What is known

    var isEnded: Bool { self.state == .ended }

    /// The app as the device described it last; nil before it runs and after the end.
    var application: ReceiverApplication? {
        switch self.state {
        case .starting, .ended: nil
        case .connected(let app), .lost(let app), .suspended(let app, _), .resuming(let app, _), .stopping(let app): app
        }
    }

    /// Where the app can be spoken to now; nil when it cannot.
    var transport: EndpointID? {
        if case .connected(let app) = self.state, !self.isDoubted { app.transportID } else { nil }
    }

    var connectionState: SessionConnectionState {
        switch self.state {
        case .starting, .lost, .resuming: .connecting
        case .connected: .connected
        case .stopping: .disconnecting
        case .suspended, .ended: .disconnected
        }
    }

    var suspendReason: SessionSuspendReason {
        if case .suspended(_, let reason) = self.state { reason } else { .none }
    }

    /// True while the device's return is what the session waits for.
    private var waitsForDevice: Bool {
        switch self.state {
        case .starting, .lost: true
        case .suspended(_, let reason): reason != .appBackgrounded
        case .connected, .resuming, .stopping, .ended: false
        }
    }

    // MARK: Wishes

    /// Begins.
    /// - Parameter isOnline: whether the device can be asked.
    mutating func start(at now: NIODeadline, isOnline: Bool) -> [Action] {
        guard case .starting(var start) = self.state else { return [] }
        guard isOnline else { return [.emit(.willStart), .wait(until: start.deadline)] }
        start.phase = .asking
        self.state = .starting(start)
        return [.emit(.willStart), .wait(until: start.deadline), .ask(.status)]
    }

    /// Ends the session on request.
    mutating func end(_ action: SessionEndAction) -> [Action] {
        switch self.state {
        case .starting:
            return self.failToStart(SessionFailure(.cancelled, "the start was cancelled")) + [.settle(.end, nil)]
        case .connected(let app):
            let told: [Action] = [.emit(.willEnd(action))]
            if action == .stop, let sessionID = app.sessionID {
                self.state = .stopping(app)
                return told + [.ask(.stop(sessionID: sessionID))]
            }
            return told + self.finish(nil) + (action == .disconnect ? [.hangUp] : [])
        case .lost, .suspended, .resuming:
            let isStop = action == .stop
            let failure = SessionFailure(.deviceNotConnected, "the device is out of reach, so its app goes on")
            return [.emit(.willEnd(action))] + self.finish(isStop ? failure : nil)
        case .stopping: return []
        case .ended: return [.settle(.end, nil)]
        }
    }

    /// Suspends the session on request: its app goes on.
    mutating func suspend(_ reason: SessionSuspendReason) -> [Action] {
        let unresumed = Action.settle(.resume, SessionFailure(.cancelled, "the session was suspended meanwhile"))
        switch self.state {
        case .connected(let app):
            self.state = .suspended(app, reason)
            let closing = app.transportID.map { [Action.close($0)] } ?? []
            return closing + [.detach(isForGood: false), .save, .emit(.didSuspend(reason))]
        case .lost(let app), .resuming(let app, _):
            self.state = .suspended(app, reason)
            return [.cancelRequests, .save, .emit(.didSuspend(reason)), unresumed]
        case .suspended(let app, _):
            self.state = .suspended(app, reason)
            return [.save, unresumed]
        case .starting, .stopping, .ended: return []
        }
    }

    /// Resumes a session that was suspended.
    /// - Parameter isOnline: whether the device can be asked; otherwise the session waits for it.
    mutating func resume(_ cause: SessionResumeCause, isOnline: Bool) -> [Action] {
        switch self.state {
        case .suspended(let app, _):
            guard isOnline else {
                self.state = .suspended(app, .networkError)
                return [.save]
            }
            self.state = .resuming(app, cause)
            return [.emit(.willResume(cause)), .ask(.status)]
        case .connected: return [.settle(.resume, nil)]
        case .ended: return [.settle(.resume, SessionFailure(.sessionNotActive, "the session has ended"))]
        case .starting, .lost, .resuming, .stopping: return []
        }
    }

    // MARK: The device

    /// The device is in reach, and this is what runs.
    mutating func linkUp(_ status: ReceiverStatus, at now: NIODeadline) -> [Action] {
        guard self.waitsForDevice else { return self.received(status, at: now) }
        switch self.state {
        case .starting: return self.choose(status, at: now)
        case .lost(let app): return self.rejoin(app, status, cause: nil)
        case .suspended(let app, let reason):
            let cause = reason == .appTerminated ? SessionResumeCause.restart : .network
            self.state = .resuming(app, cause)
            return [.emit(.willResume(cause))] + self.rejoin(app, status, cause: cause)
        case .connected, .resuming, .stopping, .ended: return []
        }
    }

    /// The device is out of reach.
    /// - Parameter reason: why.
    mutating func linkDown(_ reason: SessionSuspendReason, at now: NIODeadline) -> [Action] {
        switch self.state {
        case .starting(var start):
            start.phase = .linking
            self.state = .starting(start)
            return [.cancelRequests]
        case .connected(let app):
            self.isDoubted = false
            self.state = .lost(app)
            let told: [Action] = [.cancelRequests, .detach(isForGood: false), .save]
            return told + (self.suspendAfter > .zero ? [.wait(until: now + self.suspendAfter)] : self.surface(reason))
        case .resuming(let app, _):
            self.state = .suspended(app, reason)
            return [.cancelRequests, .save, .emit(.didSuspend(reason))]
        case .stopping:
            return [.cancelRequests]
                + self.finish(SessionFailure(.deviceNotConnected, "the device was lost while its app was stopped"))
        case .lost, .suspended, .ended: return []
        }
    }

    private mutating func surface(_ reason: SessionSuspendReason) -> [Action] {
        guard case .lost(let app) = self.state else { return [] }
        self.state = .suspended(app, reason)
        return [.save, .emit(.didSuspend(reason))]
    }

    /// The device told its status.
    mutating func received(_ status: ReceiverStatus, at now: NIODeadline) -> [Action] {
        switch self.state {
        case .starting(let start):
            guard case .launching(let before) = start.phase,
                let found = self.find(in: status), found.sessionID != before
            else { return [] }
            return self.started(found)
        case .connected(let app): return self.compare(app, status)
        case .stopping(let app):
            guard let sessionID = app.sessionID, status.application(sessionID: sessionID) == nil else { return [] }
            return [.cancelRequests] + self.finish(nil)
        case .lost, .suspended, .resuming, .ended: return []
        }
    }

    /// A request came to its end.
    mutating func answered(_ request: SessionRequest, _ answer: Answer, at now: NIODeadline) -> [Action] {
        switch (self.state, request) {
        case (.starting(let start), .status) where start.phase == .asking:
            switch answer {
            case .status(let status): return self.choose(status, at: now)
            case .done: return self.failToStart(SessionFailure(.invalidResponse, "the device told no status"))
            case .failed(let failure): return self.failToStart(failure)
            }
        case (.starting(let start), .launch): return self.launched(start, answer, at: now)
        case (.resuming(let app, let cause), .status):
            switch answer {
            case .status(let status): return self.rejoin(app, status, cause: cause)
            case .done: return self.failToResume(SessionFailure(.invalidResponse, "the device told no status"))
            case .failed(let failure): return self.failToResume(failure)
            }
        case (.connected(let app), .status) where self.isDoubted:
            if case .status(let status) = answer {
                let actions = self.compare(app, status)
                guard case .connected(let same) = self.state, self.isDoubted else { return actions }
                return actions + self.join(same)
            }
            return self.join(app)
        case (.stopping, .stop):
            guard case .failed(let failure) = answer, failure.code != .invalidApplicationSessionID else {
                return self.finish(nil)
            }
            return self.finish(failure)
        default: return []
        }
    }

    /// The launch waits for somebody's consent, or got an answer to that.
    mutating func consent(_ state: LaunchStatus.State, at now: NIODeadline) -> [Action] {
        guard case .starting(var start) = self.state, case .launching = start.phase else { return [] }
        switch state {
        case .userPendingAuthorization:
            start.deadline = max(start.deadline, now + Self.consentTimeout)
            self.state = .starting(start)
            return [.emit(.launchStatus(.pending)), .wait(until: start.deadline)]
        case .userAllowed: return [.emit(.launchStatus(.allowed))]
        case .userNotAllowed:
            let failure = SessionFailure(.notAllowed, "the device's user refused the launch", reason: state.rawValue)
            return [.emit(.launchStatus(.notAllowed))] + self.failToStart(failure)
        }
    }

    /// The app closed Castway's connection to it.
    mutating func closed(_ transport: EndpointID, at now: NIODeadline) -> [Action] {
        guard self.transport == transport else { return [] }
        if now - self.reconnectsSince > Self.reconnectPeriod { self.reconnects = 0 }
        if self.reconnects == 0 { self.reconnectsSince = now }
        self.reconnects += 1
        guard self.reconnects <= Self.maximumReconnects else {
            return self.finish(SessionFailure(.disconnected, "the app keeps closing its connection"))
        }
        // An app that ends says so to its senders before the status does; one that goes on is connected to again.
        self.isDoubted = true
        return [.close(transport), .detach(isForGood: false), .ask(.status)]
    }

    mutating func timerFired(at now: NIODeadline) -> [Action] {
        switch self.state {
        case .starting(let start):
            if now >= start.deadline {
                let isFar = start.phase == .linking
                return self.failToStart(
                    SessionFailure(
                        isFar ? .deviceNotConnected : .timeout,
                        isFar ? "the device was out of reach" : "the device did not start the app in time"))
            }
            guard case .pausing(let until, let before) = start.phase, now >= until else {
                return [.wait(until: start.deadline)]
            }
            return self.launch(start, before: before, at: now)
        case .lost: return self.surface(.networkError)
        case .connected, .suspended, .resuming, .stopping, .ended: return []
        }
    }
}
