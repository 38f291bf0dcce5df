import CastClient
import CastWire
import GatewayCore
import NIOCore

/// A session of Castway's own with an app on one device, from the request to the end (protocol notes, 8; the listeners of
/// the Cast SDKs).
///
/// An ``AppConnection`` launches or joins the app and holds the connection to it while the device has a channel. This machine adds
/// what lets the session outlive the channel and the gateway: it is lost, suspended, resumed, written down, or stopped.
///
/// Holds no channel, no timer and no store: its owner says what happened, passes instants in, and carries the actions out in
/// their order. Nothing is ever launched but by ``start(at:isOnline:)``: a session that is lost is joined again, or ends.
struct SessionStateMachine {
    enum Action: Equatable {
        /// Asks the platform, and calls ``SessionStateMachine/answered(_:_:at:)``.
        case ask(SessionRequest)
        case cancelRequests
        case connect(EndpointID)
        case close(EndpointID)
        /// Publishes a change, with the facts as they are now.
        case emit(CastSessionChange)
        /// The app can be spoken to: its media client begins, or begins again.
        case attach(ReceiverApplication)
        /// The app cannot be spoken to: for a while, or for good.
        case detach(isForGood: Bool)
        case save
        case forget
        /// Calls ``SessionStateMachine/timerFired(at:)`` then; an earlier such order is void.
        case wait(until: NIODeadline)
        /// Hangs up, unless others need the channel.
        case hangUp
        /// Ends the wait of the callers of an operation.
        case settle(SessionOperation, SessionFailure?)
    }

    /// The device's status when something happened.
    private struct Sight {
        let status: ReceiverStatus
        let instant: NIODeadline
        /// The app before the status.
        let app: ReceiverApplication?
    }

    /// The time a device may take from the end of an app to the status that names the next one. One that is taken over tells of an
    /// empty screen, or closes the connections of the app, before that (protocol notes, 8.6).
    static let successorPatience = TimeAmount.seconds(1)

    /// The app that was asked for; nil when a session is joined by its id.
    let app: AppID?
    let options: LaunchOptions
    var isPolite: Bool
    /// True if the device that is in reach is known to be another than the one on which the app was reached.
    var isOtherDevice = false
    var suspendAfter: TimeAmount
    /// True if it goes on with what played on another device: its start is told as a resumption.
    var isTransfer = false
    private(set) var state: CastSessionState
    private var connection: AppConnection

    /// A session that is to be started.
    /// - Parameters:
    ///   - app: the app to join or launch.
    ///   - isPolite: whether a session is given up when its app was launched anew by another sender.
    ///   - suspendAfter: how long the device may be out of reach before that is told.
    ///   - timeouts: how long the start may take.
    init(
        app: AppID, options: LaunchOptions, isPolite: Bool, suspendAfter: TimeAmount,
        timeouts: SessionTimeouts = SessionTimeouts(), at now: NIODeadline
    ) {
        self.app = app
        self.options = options
        self.isPolite = isPolite
        self.suspendAfter = suspendAfter
        self.state = .starting
        self.connection = AppConnection(.app(app), options: options, timing: timeouts.timing, at: now)
    }

    /// A session that is to be joined by its id, and is never launched.
    init(
        joining sessionID: String, isPolite: Bool, suspendAfter: TimeAmount,
        timeouts: SessionTimeouts = SessionTimeouts(), at now: NIODeadline
    ) {
        self.app = nil
        self.options = LaunchOptions()
        self.isPolite = isPolite
        self.suspendAfter = suspendAfter
        self.state = .starting
        self.connection = AppConnection(.session(sessionID), timing: timeouts.timing, at: now)
    }

    /// A session of an earlier run, to be taken up again if it still runs; one that was suspended on request stays so.
    init(
        restoring application: ReceiverApplication, app: AppID?, options: LaunchOptions,
        suspendReason: SessionSuspendReason = .none, isPolite: Bool, suspendAfter: TimeAmount
    ) {
        self.app = app
        self.options = options
        self.isPolite = isPolite
        self.suspendAfter = suspendAfter
        self.state = .suspended(application, suspendReason == .appBackgrounded ? suspendReason : .appTerminated)
        self.connection = AppConnection(idle: .app(app ?? application.appID ?? ""), options: options)
    }

    // MARK: What is known

    var isEnded: Bool { self.state == .ended }

    /// The app as the device described it last; nil before it runs and after the end.
    var application: ReceiverApplication? {
        self.state == .connected ? self.connection.application : self.state.application
    }

    /// The app's end point; nil when it cannot be reached now.
    var transport: EndpointID? { self.state == .connected ? self.connection.transport : nil }

    // MARK: Requests of callers

    /// Starts the session.
    /// - Parameter isOnline: whether the device can be asked.
    mutating func start(at now: NIODeadline, isOnline: Bool) -> [Action] {
        guard self.state == .starting else { return [] }
        return [.emit(self.isTransfer ? .willResume(.transfer) : .willStart)]
            + self.follow(self.connection.start(at: now, isOnline: isOnline))
    }

    /// Ends the session on request.
    /// - Parameter isOnline: whether the device can be asked to stop the app of a session that is suspended.
    mutating func end(_ action: SessionEndAction, isOnline: Bool) -> [Action] {
        switch self.state {
        case .starting:
            return self.follow(self.connection.leave())
                + self.failToStart(SessionFailure(.cancelled, "the start was cancelled")) + [.settle(.end, nil)]
        case .connected:
            let told: [Action] = [.emit(.willEnd(action))]
            if action == .stop, let app = self.connection.application, let sessionID = app.sessionID {
                self.state = .stopping(app)
                return told + [.ask(.stop(sessionID: sessionID))]
            }
            return told + self.finish(nil) + (action == .disconnect ? [.hangUp] : [])
        case .suspended(let app, _) where isOnline && action == .stop,
            .resuming(let app, _) where isOnline && action == .stop:
            guard let sessionID = app.sessionID else { return [.emit(.willEnd(action))] + self.finish(nil) }
            self.state = .stopping(app)
            return [.cancelRequests, .emit(.willEnd(action)), .ask(.stop(sessionID: sessionID))]
        case .lost, .suspended, .resuming:
            let isStop = action == .stop
            let failure = SessionFailure(.deviceNotConnected, "the device is out of reach, so its app goes on")
            return [.emit(.willEnd(action))] + self.finish(isStop ? failure : nil)
        case .stopping: return []
        case .gone(_, let failure): return self.conclude(failure, to: nil)
        case .ended: return [.settle(.end, nil)]
        }
    }

    /// Suspends the session on request: its app goes on.
    mutating func suspend(_ reason: SessionSuspendReason) -> [Action] {
        let unresumed = Action.settle(.resume, SessionFailure(.cancelled, "the session was suspended meanwhile"))
        switch self.state {
        case .connected:
            guard let app = self.connection.application else { return [] }
            let closing = self.follow(self.connection.leave())
            self.state = .suspended(app, reason)
            return closing + [.detach(isForGood: false), .save, .emit(.didSuspend(reason))]
        case .lost(let app), .resuming(let app, _):
            self.state = .suspended(app, reason)
            return [.cancelRequests, .save, .emit(.didSuspend(reason)), unresumed]
        case .suspended(let app, _):
            self.state = .suspended(app, reason)
            return [.save, unresumed]
        case .starting, .stopping, .gone, .ended: return []
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
        case .gone(_, let failure): return [.settle(.resume, failure)]
        case .ended: return [.settle(.resume, SessionFailure(.sessionNotActive, "the session has ended"))]
        case .starting, .lost, .resuming, .stopping: return []
        }
    }

    // MARK: The device

    /// The device is in reach, and this is what runs.
    mutating func linkUp(_ status: ReceiverStatus, at now: NIODeadline) -> [Action] {
        switch self.state {
        case .starting: return self.follow(self.connection.linkUp(status, at: now))
        case .lost(let app): return self.rejoin(app, status, cause: nil)
        case .suspended(let app, let reason) where reason != .appBackgrounded:
            let cause = reason == .appTerminated ? SessionResumeCause.restart : .network
            self.state = .resuming(app, cause)
            return [.emit(.willResume(cause))] + self.rejoin(app, status, cause: cause)
        case .connected, .suspended, .resuming, .stopping, .gone, .ended: return self.received(status, at: now)
        }
    }

    /// The device is out of reach.
    mutating func linkDown(_ reason: SessionSuspendReason, at now: NIODeadline) -> [Action] {
        switch self.state {
        case .starting: return self.follow(self.connection.linkDown())
        case .connected:
            guard let app = self.connection.application else { return [] }
            let told = self.follow(self.connection.linkDown()) + [.save]
            self.state = .lost(app)
            return told + (self.suspendAfter > .zero ? [.wait(until: now + self.suspendAfter)] : self.surface(reason))
        case .resuming(let app, _):
            self.state = .suspended(app, reason)
            return [.cancelRequests, .save, .emit(.didSuspend(reason))]
        case .stopping:
            return self.finish(SessionFailure(.deviceNotConnected, "the device was lost while its app was stopped"))
        case .gone(_, let failure): return self.conclude(failure, to: failure)
        case .lost, .suspended, .ended: return []
        }
    }

    /// The device was dialled in vain: what is being started fails.
    mutating func notReached(_ reason: String) -> [Action] {
        self.state == .starting ? self.follow(self.connection.notReached(reason)) : []
    }

    /// The loss of the device has lasted long enough to be told.
    private mutating func surface(_ reason: SessionSuspendReason) -> [Action] {
        guard case .lost(let app) = self.state else { return [] }
        self.state = .suspended(app, reason)
        return [.save, .emit(.didSuspend(reason))]
    }

    mutating func received(_ status: ReceiverStatus, at now: NIODeadline) -> [Action] {
        switch self.state {
        case .starting, .connected:
            let sight = self.sight(of: status, at: now)
            return self.follow(self.connection.received(status, at: now), after: sight)
        case .gone(let app, let failure):
            guard !status.applications.isEmpty else { return [] }
            let isBack = app.sessionID.flatMap { status.application(sessionID: $0) } != nil
            let known =
                isBack ? failure : SessionFailure(AppConnection.loss(of: app, in: status, isResuming: false))
            return self.conclude(known, to: known)
        case .stopping(let app):
            guard let sessionID = app.sessionID, status.application(sessionID: sessionID) == nil else { return [] }
            return self.finish(nil)
        case .lost, .suspended, .resuming, .ended: return []
        }
    }

    mutating func answered(_ request: SessionRequest, _ answer: AppConnection.Answer, at now: NIODeadline) -> [Action] {
        switch (self.state, request) {
        case (.starting, .status), (.connected, .status):
            let sight: Sight? = if case .status(let status) = answer { self.sight(of: status, at: now) } else { nil }
            return self.follow(self.connection.answered(.status, answer, at: now), after: sight)
        case (.starting, .launch), (.connected, .launch):
            return self.follow(self.connection.answered(.launch, answer, at: now))
        case (.resuming(let app, let cause), .status):
            switch answer {
            case .status(let status): return self.rejoin(app, status, cause: cause)
            case .done: return self.failToResume(SessionFailure(.invalidResponse, "the device told no status"))
            case .failed(let error): return self.failToResume(SessionFailure(error))
            }
        case (.stopping, .stop):
            guard case .failed(let error) = answer, error.code != .invalidApplicationSessionID else {
                return self.finish(nil)
            }
            return self.finish(SessionFailure(error))
        default: return []
        }
    }

    /// The device asks its user whether the app may be launched, or tells what the user said.
    mutating func consent(_ state: LaunchStatus.State, at now: NIODeadline) -> [Action] {
        guard self.state == .starting else { return [] }
        return self.follow(self.connection.consent(state, at: now))
    }

    /// The app closed Castway's connection to it.
    mutating func closed(_ transport: EndpointID, at now: NIODeadline) -> [Action] {
        guard self.state == .connected else { return [] }
        return self.follow(self.connection.closed(transport, at: now))
    }

    mutating func timerFired(at now: NIODeadline) -> [Action] {
        switch self.state {
        case .starting: return self.follow(self.connection.timerFired(at: now))
        case .lost: return self.surface(.networkError)
        case .gone(_, let failure): return self.conclude(failure, to: failure)
        case .connected, .suspended, .resuming, .stopping, .ended: return []
        }
    }

    // MARK: Steps

    private func sight(of status: ReceiverStatus, at now: NIODeadline) -> Sight {
        Sight(status: status, instant: now, app: self.application)
    }

    /// Follows the actions that the connection to the app wants, with their consequences for the session.
    /// - Parameter sight: what the device said; nil when it was something else that happened.
    private mutating func follow(_ actions: [AppConnection.Action], after sight: Sight? = nil) -> [Action] {
        actions.flatMap { action -> [Action] in
            switch action {
            case .ask(.status): [.ask(.status)]
            case .ask(.launch): [.ask(.launch)]
            case .cancelRequests: [.cancelRequests]
            case .connect(let transport): [.connect(transport)]
            case .close(let transport): [.close(transport)]
            case .wait(let until): [.wait(until: until)]
            case .consent(let state): [.emit(.launchStatus(.init(state)))]
            case .opened(let app): self.opened(app)
            case .interrupted: [.detach(isForGood: false)]
            case .updated(let old, let new): new.changes(since: old).map { .emit($0) }
            case .ended(let error): self.ended(SessionFailure(error), after: sight)
            }
        }
    }

    private mutating func opened(_ app: ReceiverApplication) -> [Action] {
        let isStart = self.state == .starting
        self.state = .connected
        let begun = Action.emit(self.isTransfer ? .didResume(.transfer) : .didStart)
        let told: [Action] = isStart ? [begun, .settle(.start, nil), .settle(.resume, nil)] : []
        return [.attach(app), .save] + told
    }

    private static let otherDevice = SessionFailure(
        .resumeDeviceMismatch, "another device answers than the one to be resumed")

    /// Goes on with the same session, if that is what runs.
    /// - Parameter cause: nil when it has not been told that it was away.
    private mutating func rejoin(
        _ app: ReceiverApplication, _ status: ReceiverStatus, cause: SessionResumeCause?
    ) -> [Action] {
        guard !self.isOtherDevice else { return self.leave(Self.otherDevice, cause: cause) }
        var running = status.applications.first { $0.sessionID != nil && $0.sessionID == app.sessionID }
        if running?.transportID == nil, !self.isPolite, let id = self.app ?? app.appID {
            running = status.applications.first { $0.matches(id) }
        }
        if let running, running.transportID != nil {
            let told: [Action] = cause.map { [.emit(.didResume($0))] } ?? []
            return self.follow(self.connection.adopt(running)) + told + [.settle(.resume, nil)]
        }
        return self.leave(SessionFailure(AppConnection.loss(of: app, in: status, isResuming: true)), cause: cause)
    }

    private mutating func leave(_ failure: SessionFailure, cause: SessionResumeCause?) -> [Action] {
        cause == nil ? self.finish(failure) : self.failToResume(failure)
    }

    /// The connection to the app is over. A device on which nothing runs any more, not even its idle screen, may be about to start
    /// something else.
    private mutating func ended(_ failure: SessionFailure, after sight: Sight?) -> [Action] {
        guard self.state != .starting else { return self.failToStart(failure) }
        guard failure.code == .applicationNotRunning, let sight, sight.status.applications.isEmpty,
            let app = sight.app
        else { return self.finish(failure) }
        self.state = .gone(app, failure)
        return [.detach(isForGood: true), .forget, .wait(until: sight.instant + Self.successorPatience)]
    }

    /// Tells of the end of a session whose app is gone.
    /// - Parameter end: how the wait of those callers ends that wanted the end.
    private mutating func conclude(_ failure: SessionFailure, to end: SessionFailure?) -> [Action] {
        self.state = .ended
        return [.emit(.didEnd(failure)), .settle(.end, end)]
    }

    private mutating func failToStart(_ failure: SessionFailure) -> [Action] {
        self.state = .ended
        let told = Action.emit(self.isTransfer ? .didFailToResume(failure) : .didFailToStart(failure))
        return [told, .settle(.start, failure)]
    }

    private mutating func failToResume(_ failure: SessionFailure) -> [Action] {
        [.emit(.didFailToResume(failure)), .settle(.resume, failure)] + self.finish(failure)
    }

    private mutating func finish(_ failure: SessionFailure?) -> [Action] {
        let closing = self.follow(self.connection.leave())
        self.state = .ended
        return closing + [.detach(isForGood: true), .forget, .emit(.didEnd(failure)), .settle(.end, failure)]
    }
}
