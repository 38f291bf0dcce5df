import CastWire
import GatewayCore
import NIOCore

/// LAUNCH (protocol notes, 5.4).
extension ReceiverPlatform {
    /// Takes a LAUNCH: joins the app, starts it, or begins what leads there.
    mutating func launch(_ request: ReceiverRequest, from requester: Requester, at now: NIODeadline) -> [Action] {
        let waiter = PendingLaunch.Waiter(requester: requester, requestID: Self.requestID(of: request.json))
        guard let appID = request.appID, !appID.rawValue.isEmpty else {
            return self.launchError(.badParameter, to: waiter)
        }
        let virtual = VirtualConnection(local: .platformReceiver, peer: requester.sender)
        guard self.senders.kind(of: virtual, on: requester.connection) != .invisible else {
            return self.launchError(.notAllowed, to: waiter)
        }
        if let app = self.application, !app.isIdleScreen, app.profile.matches(appID) {
            return self.cancelLaunch() + self.statusReply(waiter.requestID, to: requester)
        }
        guard let profile = self.profiles.first(where: { $0.matches(appID) }),
            let kind = Self.kind(of: profile, among: request.supportedAppTypes)
        else { return self.launchError(.notFound, to: waiter) }
        if profile.isIdleScreen, self.configuration.showsIdleScreen {
            return self.returnToIdleScreen(for: requester, answering: waiter.requestID)
        }
        guard let parameters = LaunchParameters(request) else { return self.launchError(.badParameter, to: waiter) }

        let plan = self.launchPlan(profile.configuration)
        switch plan {
        case .noAnswer: return []
        case .fail(let reason) where reason == .notFound: return self.launchError(reason, to: waiter)
        default: break
        }
        if self.pendingLaunch?.app.matches(appID) == true { return self.joinLaunch(waiter) }
        return self.beginLaunch(
            PendingLaunch(
                app: profile, kind: kind, plan: plan, parameters: parameters,
                deadline: now + TimeAmount(profile.configuration.options.launchDelay), waiters: [waiter]),
            at: now)
    }

    /// Ends the launch that is under way, because something overtook it.
    mutating func cancelLaunch() -> [Action] {
        guard let launch = self.pendingLaunch else { return [] }
        self.pendingLaunch = nil
        return launch.waiters.flatMap { self.launchError(.cancelled, to: $0) }
    }

    /// Brings the launch that is under way to its end.
    mutating func finishLaunch(at now: NIODeadline) -> [Action] {
        guard let launch = self.pendingLaunch else { return [] }
        self.pendingLaunch = nil
        switch launch.plan {
        case .start, .startAfterApproval:
            var actions = self.start(launch, at: now) + [self.statusBroadcast]
            for waiter in launch.waiters {
                if launch.plan.asksUser { actions += self.launchStatus(.userAllowed, to: waiter) }
                actions += self.statusReply(waiter.requestID, to: waiter.requester)
            }
            return actions
        case .deny:
            return launch.waiters.flatMap {
                self.launchStatus(.userNotAllowed, to: $0)
                    + self.launchError(.notAllowed, extended: "USER_NOT_ALLOWED", to: $0)
            }
        case .fail(let reason): return launch.waiters.flatMap { self.launchError(reason, to: $0) }
        case .noAnswer: return []
        }
    }

    /// Takes a LAUNCH of the idle screen, which ends what runs.
    private mutating func returnToIdleScreen(for requester: Requester, answering requestID: RequestID?) -> [Action] {
        var actions = self.cancelLaunch()
        if self.currentSession != nil {
            actions += self.stopApplication(.replaced) + [self.statusBroadcast]
        } else if self.showIdleScreen() {
            actions.append(self.statusBroadcast)
        }
        return actions + self.statusReply(requestID, to: requester)
    }

    /// Lets one more LAUNCH wait for an app that is being launched.
    private mutating func joinLaunch(_ waiter: PendingLaunch.Waiter) -> [Action] {
        guard let launch = self.pendingLaunch, launch.waiters.count < PendingLaunch.maximumWaiters else {
            return self.launchError(.systemError, to: waiter)
        }
        self.pendingLaunch?.waiters.append(waiter)
        return launch.plan.asksUser ? self.launchStatus(.userPendingAuthorization, to: waiter) : []
    }

    /// The app that runs goes first, unless the device's user may still say no.
    private mutating func beginLaunch(_ launch: PendingLaunch, at now: NIODeadline) -> [Action] {
        var actions = self.cancelLaunch()
        self.pendingLaunch = launch
        if launch.plan == .start {
            actions += self.clearStage(for: launch.app.id)
        } else if self.showIdleScreen() {
            actions.append(self.statusBroadcast)
        }
        if launch.plan.asksUser {
            actions += launch.waiters.flatMap { self.launchStatus(.userPendingAuthorization, to: $0) }
        }
        return launch.deadline <= now ? actions + self.finishLaunch(at: now) : actions
    }

    /// The kind of app to start: an Android TV app for senders that take one, else the web app; nil for neither.
    private static func kind(
        of profile: AppProfile, among supported: [String]
    ) -> VirtualAppConfiguration.Kind? {
        let kinds = supported.isEmpty ? [.web] : supported.compactMap(VirtualAppConfiguration.Kind.init)
        if profile.configuration.kind == .androidTV, kinds.contains(.androidTV) { return .androidTV }
        return kinds.contains(.web) ? .web : nil
    }

    private func launchError(
        _ reason: LaunchError.Reason, extended: String? = nil, to waiter: PendingLaunch.Waiter
    ) -> [Action] {
        guard let requestID = waiter.requestID else { return [] }
        var error = LaunchError(reason, requestID: requestID)
        if let extended { error.extendedError = extended }
        return [self.send(error.payload, in: .receiver, to: waiter.requester)]
    }

    private func launchStatus(_ state: LaunchStatus.State, to waiter: PendingLaunch.Waiter) -> [Action] {
        guard let requestID = waiter.requestID else { return [] }
        let status = LaunchStatus(state, launchRequestID: requestID)
        return [self.send(status.payload, in: .receiver, to: waiter.requester)]
    }
}
