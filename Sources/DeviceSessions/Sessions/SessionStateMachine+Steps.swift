import CastWire
import GatewayCore
import NIOCore

/// What the session does of its own: choosing, launching, joining, ending.
extension SessionStateMachine {
    /// The app that is meant, when it runs and can be spoken to.
    func find(in status: ReceiverStatus) -> ReceiverApplication? {
        status.applications.first { running in
            guard running.transportID != nil, running.sessionID != nil, !running.isIdleScreen else { return false }
            if let sessionID { return running.sessionID == sessionID }
            return self.app.map { running.matches($0) } ?? false
        }
    }

    /// Joins what runs, or launches.
    mutating func choose(_ status: ReceiverStatus, at now: NIODeadline) -> [Action] {
        guard case .starting(let start) = self.state else { return [] }
        let found = self.find(in: status)
        if let found, !self.options.relaunchesIfRunning {
            // An Android TV app learns by LAUNCH alone who joins it; one that runs stays the same session.
            let joinsByLaunch = found.appType == "ANDROID_TV" && self.options.credentials != nil
            return joinsByLaunch ? self.launch(start, before: nil, at: now) : self.started(found)
        }
        if self.sessionID != nil {
            let other = status.applications.first { !$0.isIdleScreen }
            return self.failToStart(
                SessionFailure(.joinSessionMismatch, "the session to be joined does not run", app: other?.appID))
        }
        return self.launch(start, before: found?.sessionID, at: now)
    }

    mutating func launch(_ start: Start, before: String?, at now: NIODeadline) -> [Action] {
        var start = start
        start.phase = .launching(before: before)
        start.deadline = max(start.deadline, now + Self.startTimeout)
        self.state = .starting(start)
        return [.wait(until: start.deadline), .ask(.launch)]
    }

    mutating func launched(_ start: Start, _ answer: Answer, at now: NIODeadline) -> [Action] {
        guard case .launching(let before) = start.phase else { return [] }
        switch answer {
        case .status(let status):
            // An app that is not there yet comes with a later status.
            return self.find(in: status).map { self.started($0) } ?? []
        case .done: return []
        case .failed(let failure):
            guard failure.reason == LaunchError.Reason.cancelled.rawValue, !start.wasCancelled else {
                return self.failToStart(failure)
            }
            var again = start
            again.wasCancelled = true
            again.phase = .pausing(until: now + Self.relaunchPause, before: before)
            self.state = .starting(again)
            return [.wait(until: now + Self.relaunchPause)]
        }
    }

    mutating func started(_ app: ReceiverApplication) -> [Action] {
        [.cancelRequests] + self.join(app) + [.save, .emit(.didStart), .settle(.start, nil), .settle(.resume, nil)]
    }

    mutating func join(_ app: ReceiverApplication) -> [Action] {
        self.state = .connected(app)
        self.isDoubted = false
        return (app.transportID.map { [.connect($0)] } ?? []) + [.attach(app)]
    }

    /// Goes on with the same session, if that is what runs.
    /// - Parameter cause: nil when nobody knows that it was away.
    mutating func rejoin(
        _ app: ReceiverApplication, _ status: ReceiverStatus, cause: SessionResumeCause?
    ) -> [Action] {
        self.reconnects = 0
        let told: [Action] = cause.map { [.emit(.didResume($0))] } ?? []
        if let same = status.applications.first(where: { $0.sessionID != nil && $0.sessionID == app.sessionID }),
            same.transportID != nil
        {
            return self.join(same) + [.save] + told + [.settle(.resume, nil)]
        }
        if !self.isPolite, let id = self.app ?? app.appID,
            let again = status.applications.first(where: { $0.matches(id) }), again.transportID != nil
        {
            return self.join(again) + [.save] + told + [.settle(.resume, nil)]
        }
        let failure = Self.difference(app, status, isResuming: true)
        return cause == nil ? self.finish(failure) : self.failToResume(failure)
    }

    /// Why the session is no more.
    static func difference(
        _ app: ReceiverApplication, _ status: ReceiverStatus, isResuming: Bool
    ) -> SessionFailure {
        guard let other = status.applications.first(where: { !$0.isIdleScreen }) else {
            return SessionFailure(.applicationNotRunning, "the app was stopped")
        }
        let isSameApp = [app.appID, app.universalAppID].compactMap(\.self).contains { other.matches($0) }
        if isSameApp {
            return SessionFailure(
                isResuming ? .resumeSessionMismatch : .replaced, "the app was launched anew by somebody else",
                app: other.appID)
        }
        return SessionFailure(
            isResuming ? .resumeApplicationMismatch : .replaced,
            "another app took the device over: \(other.displayName ?? other.appID?.rawValue ?? "unknown")",
            app: other.appID)
    }

    /// What a status means to a session that runs.
    mutating func compare(_ old: ReceiverApplication, _ status: ReceiverStatus) -> [Action] {
        guard let new = status.applications.first(where: { $0.sessionID == old.sessionID }) else {
            return self.finish(Self.difference(old, status, isResuming: false))
        }
        self.state = .connected(new)
        var actions: [Action] = []
        if let transport = new.transportID, transport != old.transportID {
            // The old one is dead, and says nothing of it (protocol notes, 9, 12).
            actions = (old.transportID.map { [.close($0)] } ?? []) + [.detach(isForGood: false)] + self.join(new)
            actions.append(.save)
        }
        if let text = new.statusText, text != old.statusText { actions.append(.emit(.deviceStatus(text))) }
        var known = old
        known.statusText = new.statusText
        known.senderConnected = new.senderConnected
        if known != new { actions.append(.emit(.appMetadata)) }
        return actions
    }

    mutating func failToStart(_ failure: SessionFailure) -> [Action] {
        self.state = .ended
        return [.cancelRequests, .emit(.didFailToStart(failure)), .settle(.start, failure)]
    }

    mutating func failToResume(_ failure: SessionFailure) -> [Action] {
        [.emit(.didFailToResume(failure)), .settle(.resume, failure)] + self.finish(failure)
    }

    mutating func finish(_ failure: SessionFailure?) -> [Action] {
        let transport = self.application?.transportID
        let isOpen = self.transport != nil || self.connectionState == .disconnecting
        self.state = .ended
        return (isOpen ? transport.map { [.close($0)] } ?? [] : []) + [
            .cancelRequests, .detach(isForGood: true), .forget, .emit(.didEnd(failure)), .settle(.end, failure),
        ]
    }
}
