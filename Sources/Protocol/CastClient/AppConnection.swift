package import CastWire
package import NIOCore

/// How one sender comes to speak with one app on a device, and goes on speaking with it. No channel, no timer.
///
/// ```
///  waiting ─► asking ─► launching ◄─► pausing          idle
///     │          │          │                          ▲ │ linkDown, leave / adopt
///     └──────────┴──────────┴────────► connected ──────┘◄┘
///                                       │     ▲
///                                CLOSE  ▼     │ the app still runs
///                                      doubted ─► ended
/// ```
///
/// 1. ``start(at:isOnline:)`` asks the device what runs. What is meant and runs is joined: a virtual connection is opened to
///    its transport. What does not run is launched, and joined when a status lists it, whether that answers the LAUNCH or not:
///    receivers do both (protocol notes, 5.4 and 8.1).
/// 2. A launch that another one has cancelled is tried once more, after a pause (protocol notes, 9, 9). While the device asks
///    its user, there is more time, once.
/// 3. An app that closes the virtual connection may have ended, or may only have been restarted with its platform (protocol
///    notes, 9, 2), so the device is asked what runs before the connection is opened again; three times a minute at most.
/// 4. A session whose transport moves is followed to the new one.
///
/// The owner tells what happened, passes instants in, and carries the actions out in their order. It has one channel at a time:
/// ``linkDown()`` when that is lost, and ``linkUp(_:at:)`` or ``adopt(_:)`` when there is another one.
package struct AppConnection: Equatable, Sendable {
    /// What is to be connected to.
    package enum Goal: Equatable, Sendable {
        /// An app by its id, or by that of the web app that an Android TV app stands for; joined or launched.
        case app(AppID)
        /// A session by its id; only joined.
        case session(String)
    }

    /// How long a start may take.
    package struct Timing: Equatable, Sendable {
        /// How long the device may take to come in reach and to say what runs, and then again to launch.
        package var start = TimeAmount.seconds(30)
        /// How long a launch may take from the moment at which the device asks its user (protocol notes, 7).
        package var consent = TimeAmount.seconds(120)
        /// How long to wait before a launch that another one has cancelled is tried again.
        package var relaunchPause = TimeAmount.seconds(1)

        package init() {}
    }

    /// What is asked of the device's platform.
    package enum Request: Hashable, Sendable {
        /// GET_STATUS.
        case status
        /// LAUNCH of the app.
        case launch
    }

    /// What became of a request.
    package enum Answer: Equatable, Sendable {
        /// It was carried out, and the answer is the device's status.
        case status(ReceiverStatus)
        /// It was carried out, and the answer says nothing.
        case done
        /// It was not carried out.
        case failed(RequestError)

        package init(_ outcome: RequestOutcome) {
            switch outcome {
            case .completed(let reply): self = ReceiverStatusPayload(json: reply).status.map(Self.status) ?? .done
            case .failed(let error): self = .failed(error)
            case .aborted: self = .failed(RequestError(.cancelled, "the request was cancelled"))
            case .timedOut: self = .failed(RequestError(.timeout, "the device did not answer in time"))
            }
        }
    }

    /// What the owner does.
    package enum Action: Equatable, Sendable {
        /// Asks the platform, and calls ``AppConnection/answered(_:_:at:)``.
        case ask(Request)
        /// Stops waiting for answers to what was asked.
        case cancelRequests
        /// Opens the virtual connection.
        case connect(EndpointID)
        /// Closes the virtual connection.
        case close(EndpointID)
        /// Calls ``AppConnection/timerFired(at:)`` then; an earlier such order is void.
        case wait(until: NIODeadline)
        /// Tells that the device asks its user, or what the user said.
        case consent(LaunchStatus.State)
        /// The app can be spoken to, for the first time or again.
        case opened(ReceiverApplication)
        /// The app cannot be spoken to for the time being.
        case interrupted
        /// The device describes the app in another way than before.
        case updated(from: ReceiverApplication, to: ReceiverApplication)
        /// It is over: the start failed, or the app is gone.
        case ended(RequestError)
    }

    private enum State: Equatable {
        /// The device is out of reach.
        case waiting
        /// The device is asked what runs.
        case asking
        /// The app was launched; it is known which session of it ran before.
        case launching(before: String?)
        /// The launch was cancelled, and is tried again then.
        case pausing(until: NIODeadline, before: String?)
        case connected(ReceiverApplication)
        /// The app has closed the virtual connection, and the device is asked what runs.
        case doubted(ReceiverApplication)
        /// The channel is gone, or the app was left.
        case idle
        case ended
    }

    /// How often an app may close the connection within a minute before it counts as gone (protocol notes, 9, 2).
    private static let maximumReconnects = 3
    private static let reconnectPeriod = TimeAmount.seconds(60)

    private let goal: Goal
    private let options: LaunchOptions
    private let timing: Timing
    private var state: State
    /// When the start is given up; a launch has a time of its own.
    private var deadline: NIODeadline
    private var wasCancelled = false
    private var hasAskedUser = false
    /// How often the app has closed the connection in the period that began then.
    private var reconnects = 0
    private var reconnectsSince = NIODeadline.uptimeNanoseconds(0)

    /// A connection that is to be started.
    package init(_ goal: Goal, options: LaunchOptions = LaunchOptions(), timing: Timing = Timing(), at now: NIODeadline)
    {
        self.goal = goal
        self.options = options
        self.timing = timing
        self.state = .waiting
        self.deadline = now + timing.start
    }

    /// A connection that begins with ``adopt(_:)``: the app is known to run, or to have run.
    package init(idle goal: Goal, options: LaunchOptions = LaunchOptions()) {
        self.init(goal, options: options, at: .uptimeNanoseconds(0))
        self.state = .idle
    }

    // MARK: What is known

    /// The app as the device described it last, while there is a channel and it runs.
    package var application: ReceiverApplication? {
        switch self.state {
        case .connected(let app), .doubted(let app): app
        case .waiting, .asking, .launching, .pausing, .idle, .ended: nil
        }
    }

    /// Where the app can be spoken to now; nil when it cannot.
    package var transport: EndpointID? { if case .connected(let app) = self.state { app.transportID } else { nil } }

    /// True until the app could be spoken to for the first time.
    package var isStarting: Bool {
        switch self.state {
        case .waiting, .asking, .launching, .pausing: true
        case .connected, .doubted, .idle, .ended: false
        }
    }

    // MARK: Requests of the owner

    /// Begins.
    /// - Parameter isOnline: whether the device can be asked.
    package mutating func start(at now: NIODeadline, isOnline: Bool) -> [Action] {
        guard self.state == .waiting else { return [] }
        guard isOnline else { return [.wait(until: self.deadline)] }
        self.state = .asking
        return [.wait(until: self.deadline), .ask(.status)]
    }

    /// Goes on with an app that is known to run.
    package mutating func adopt(_ app: ReceiverApplication) -> [Action] {
        guard self.state == .idle else { return [] }
        self.reconnects = 0
        return self.join(app)
    }

    /// Leaves the app, which goes on; the connection may be adopted again.
    package mutating func leave() -> [Action] {
        defer { self.state = .idle }
        return (self.transport.map { [.close($0)] } ?? []) + [.cancelRequests]
    }

    // MARK: What happens

    /// The device is in reach, and this is what runs.
    package mutating func linkUp(_ status: ReceiverStatus, at now: NIODeadline) -> [Action] {
        self.isStarting ? self.choose(status, at: now) : self.received(status, at: now)
    }

    /// The channel is lost. What is being started waits for another one.
    package mutating func linkDown() -> [Action] {
        switch self.state {
        case .waiting, .asking, .launching, .pausing:
            self.state = .waiting
            return [.cancelRequests]
        case .connected, .doubted:
            self.state = .idle
            return [.cancelRequests, .interrupted]
        case .idle, .ended: return []
        }
    }

    /// The device was dialled in vain, and is not expected back soon.
    package mutating func notReached(_ reason: String) -> [Action] {
        guard self.state == .waiting else { return [] }
        return self.end(RequestError(.deviceNotConnected, "the device was not reached: \(reason)"))
    }

    /// The device told its status.
    package mutating func received(_ status: ReceiverStatus, at now: NIODeadline) -> [Action] {
        switch self.state {
        // Some devices tell all senders what one of them asks.
        case .asking: return self.choose(status, at: now)
        case .launching(let before):
            guard let found = self.find(in: status), found.sessionID != before else { return [] }
            return self.started(found)
        case .connected(let app), .doubted(let app): return self.compare(app, status)
        case .waiting, .pausing, .idle, .ended: return []
        }
    }

    /// A request came to its end.
    package mutating func answered(_ request: Request, _ answer: Answer, at now: NIODeadline) -> [Action] {
        switch (self.state, request) {
        case (.asking, .status):
            switch answer {
            case .status(let status): return self.choose(status, at: now)
            case .done: return self.end(RequestError(.invalidResponse, "the device told no status"))
            case .failed(let error): return self.end(error)
            }
        case (.launching(let before), .launch): return self.launched(answer, before: before, at: now)
        case (.doubted(let app), .status):
            guard case .status(let status) = answer else { return self.join(app) }
            let actions = self.compare(app, status)
            guard case .doubted(let same) = self.state else { return actions }
            return actions + self.join(same)
        default: return []
        }
    }

    /// The device asks its user whether the app may be launched, or tells what the user said.
    package mutating func consent(_ state: LaunchStatus.State, at now: NIODeadline) -> [Action] {
        guard case .launching = self.state else { return [] }
        switch state {
        case .userPendingAuthorization:
            // Once: a device that says so again and again would hold the start for ever.
            if !self.hasAskedUser { self.deadline = max(self.deadline, now + self.timing.consent) }
            self.hasAskedUser = true
            return [.consent(state), .wait(until: self.deadline)]
        case .userAllowed: return [.consent(state)]
        case .userNotAllowed:
            let error = RequestError(.notAllowed, "the device's user refused the launch", reason: state.rawValue)
            return [.consent(state)] + self.end(error)
        }
    }

    /// The app closed the virtual connection.
    package mutating func closed(_ transport: EndpointID, at now: NIODeadline) -> [Action] {
        guard case .connected(let app) = self.state, app.transportID == transport else { return [] }
        if now - self.reconnectsSince > Self.reconnectPeriod { self.reconnects = 0 }
        if self.reconnects == 0 { self.reconnectsSince = now }
        self.reconnects += 1
        guard self.reconnects <= Self.maximumReconnects else {
            return self.end(RequestError(.disconnected, "the app keeps closing its connection"))
        }
        // An app that ends closes its connections before the status says so.
        self.state = .doubted(app)
        return [.close(transport), .interrupted, .ask(.status)]
    }

    /// The time came that ``Action/wait(until:)`` named.
    package mutating func timerFired(at now: NIODeadline) -> [Action] {
        guard self.isStarting else { return [] }
        if now >= self.deadline {
            let isFar = self.state == .waiting
            return self.end(
                RequestError(
                    isFar ? .deviceNotConnected : .timeout,
                    isFar ? "the device was out of reach" : "the device did not start the app in time"))
        }
        guard case .pausing(let until, let before) = self.state, now >= until else {
            return [.wait(until: self.deadline)]
        }
        return self.launch(before: before, at: now)
    }

    // MARK: Steps

    /// The app that is meant, when it runs and can be spoken to.
    private func find(in status: ReceiverStatus) -> ReceiverApplication? {
        status.applications.first { running in
            guard running.transportID != nil, running.sessionID != nil, !running.isIdleScreen else { return false }
            return switch self.goal {
            case .app(let id): running.matches(id)
            case .session(let id): running.sessionID == id
            }
        }
    }

    /// Joins what runs, or launches.
    private mutating func choose(_ status: ReceiverStatus, at now: NIODeadline) -> [Action] {
        let found = self.find(in: status)
        if let found, !self.options.relaunchesIfRunning {
            // An Android TV app learns by LAUNCH alone who joins it; one that runs stays the same session.
            let joinsByLaunch = found.appType == "ANDROID_TV" && self.options.credentials != nil
            return joinsByLaunch ? self.launch(before: nil, at: now) : self.started(found)
        }
        if case .session = self.goal {
            let other = status.applications.first { !$0.isIdleScreen }
            return self.end(
                RequestError(
                    .joinSessionMismatch, "the session to be joined does not run", runningApp: other?.appID))
        }
        return self.launch(before: found?.sessionID, at: now)
    }

    private mutating func launch(before: String?, at now: NIODeadline) -> [Action] {
        self.state = .launching(before: before)
        self.deadline = max(self.deadline, now + self.timing.start)
        return [.wait(until: self.deadline), .ask(.launch)]
    }

    private mutating func launched(_ answer: Answer, before: String?, at now: NIODeadline) -> [Action] {
        switch answer {
        case .status(let status):
            // An app that is not there yet comes with a later status.
            return self.find(in: status).map { self.started($0) } ?? []
        case .done: return []
        case .failed(let error):
            guard error.reason == LaunchError.Reason.cancelled.rawValue, !self.wasCancelled else {
                return self.end(error)
            }
            self.wasCancelled = true
            let until = now + self.timing.relaunchPause
            self.state = .pausing(until: until, before: before)
            return [.wait(until: until)]
        }
    }

    private mutating func started(_ app: ReceiverApplication) -> [Action] {
        [.cancelRequests] + self.join(app)
    }

    private mutating func join(_ app: ReceiverApplication) -> [Action] {
        self.state = .connected(app)
        return (app.transportID.map { [.connect($0)] } ?? []) + [.opened(app)]
    }

    /// What a status means to an app that is connected.
    private mutating func compare(_ old: ReceiverApplication, _ status: ReceiverStatus) -> [Action] {
        guard let new = status.applications.first(where: { $0.sessionID == old.sessionID }) else {
            return self.end(Self.loss(of: old, in: status, isResuming: false))
        }
        var actions: [Action] = []
        if let transport = new.transportID, transport != old.transportID {
            // The old one is dead, and says nothing of it (protocol notes, 9, 12).
            actions = (old.transportID.map { [.close($0)] } ?? []) + [.interrupted] + self.join(new)
        } else if case .doubted = self.state {
            self.state = .doubted(new)
        } else {
            self.state = .connected(new)
        }
        return new == old ? actions : actions + [.updated(from: old, to: new)]
    }

    /// Why a session is no more.
    package static func loss(
        of app: ReceiverApplication, in status: ReceiverStatus, isResuming: Bool
    ) -> RequestError {
        guard let other = status.applications.first(where: { !$0.isIdleScreen }) else {
            return RequestError(.applicationNotRunning, "the app was stopped")
        }
        let isSameApp = [app.appID, app.universalAppID].compactMap(\.self).contains { other.matches($0) }
        if isSameApp {
            return RequestError(
                isResuming ? .resumeSessionMismatch : .replaced, "the app was launched anew by another sender",
                runningApp: other.appID)
        }
        return RequestError(
            isResuming ? .resumeApplicationMismatch : .replaced,
            "another app took the device over: \(other.displayName ?? other.appID?.rawValue ?? "unknown")",
            runningApp: other.appID)
    }

    private mutating func end(_ error: RequestError) -> [Action] {
        let actions = self.leave()
        self.state = .ended
        return actions + [.ended(error)]
    }
}
