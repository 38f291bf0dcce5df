import CastWire
import GatewayCore
import NIOCore

/// Starting, stopping and idling of the one app.
extension ReceiverPlatform {
    /// Starts an app in the place of the one that runs; the status still has to be announced.
    mutating func start(_ launch: PendingLaunch, at now: NIODeadline) -> [Action] {
        var actions = self.clearStage(for: launch.app.id)
        // A device that is cast to switches its screen on, and to itself.
        self.screen.isActiveInput = true
        self.screen.isStandby = false
        let app = RunningApp(launch.app, kind: launch.kind, parameters: launch.parameters, sessionID: self.newID())
        self.application = app
        actions.append(.sessionStarted(app.facts))
        return actions
    }

    /// Ends what runs, so that an app can start; senders hear of a session that ends (protocol notes, 8.6).
    mutating func clearStage(for app: AppID) -> [Action] {
        let hadSession = self.currentSession != nil
        let actions = self.leaveApplication(.replaced, by: app)
        return hadSession ? actions + [self.statusBroadcast] : actions
    }

    /// Stops the app and shows the idle screen again; the status still has to be announced.
    mutating func stopApplication(_ reason: SessionEnd) -> [Action] {
        let actions = self.leaveApplication(reason)
        _ = self.showIdleScreen()
        return actions
    }

    /// Ends what runs, the idle screen too, and closes its connections (protocol notes, 3.4).
    /// - Parameter other: the app that takes its place.
    mutating func leaveApplication(_ reason: SessionEnd, by other: AppID? = nil) -> [Action] {
        guard let app = self.application else { return [] }
        self.application = nil
        self.speakers.leaveGroup()
        self.senders.closeAll(local: app.facts.transportID)
        var actions: [Action] = [.closeVirtualConnections(of: app.facts.transportID)]
        if !app.isIdleScreen {
            actions.append(
                .sessionEnded(sessionID: app.facts.sessionID, reason: reason.rawValue, runningApp: other))
        }
        return actions
    }

    /// Shows the idle screen, if the device has one and nothing else is on the screen.
    /// - Returns: false when nothing changed.
    mutating func showIdleScreen() -> Bool {
        guard self.configuration.showsIdleScreen, self.application == nil, self.pendingLaunch?.plan != .start else {
            return false
        }
        self.application = RunningApp(idleScreen: self.newID())
        return true
    }

    mutating func handleApplication(
        _ json: JSONObject, in namespace: Namespace, from requester: Requester, at now: NIODeadline
    ) -> [Action] {
        if namespace == .media,
            let wanted = self.application?.player?.handle(json, from: requester.playerName, at: now)
        {
            return self.perform(wanted, asker: requester)
        }
        if let actions = self.answerAsMember(json, in: namespace, from: requester) { return actions }
        // A plugin or a channel that owns the namespace was asked before, and nothing else plays the app.
        let requestID = Self.requestID(of: json, in: namespace).flatMap { $0 == .spontaneous ? nil : $0 }
        if namespace == .media, let requestID, Self.loadingTypes.contains(json.string("type") ?? "") {
            let refusal: JSONObject = [
                "type": .string(MediaResponseType.loadFailed.rawValue), "requestId": requestID.json,
                "detailedErrorCode": .number(DetailedErrorCode.loadFailed.rawValue),
            ]
            return [self.send(.json(refusal), in: namespace, to: requester)]
        }
        return self.refuse(requestID, .invalidCommand, in: namespace, to: requester)
    }

    /// Requests whose senders wait for LOAD_FAILED.
    private static let loadingTypes: Set<String> = ["LOAD", "LOAD_BY_ENTITY", "QUEUE_LOAD", "RESUME_SESSION"]

    /// Carries out the player's actions.
    /// - Parameter asker: Whose message the player has just got. Others get late answers only while they are connected.
    mutating func perform(_ wanted: [SimulatedPlayer.Action], asker: Requester?) -> [Action] {
        guard let transport = self.application?.facts.transportID else { return [] }
        return wanted.compactMap { action in
            switch action {
            case .reply(let json, let name):
                guard let requester = Requester(playerName: name, local: transport) else { return nil }
                let virtual = VirtualConnection(local: transport, peer: requester.sender)
                guard requester == asker || self.senders.kind(of: virtual, on: requester.connection) != nil else {
                    return nil
                }
                return self.send(.json(json), in: .media, to: requester)
            case .broadcast(let json):
                return .broadcast(
                    CastMessage(source: transport, destination: .broadcast, namespace: .media, json: json))
            case .statusText(let text):
                let line = text.isEmpty ? "" : "Casting: \(text)"
                return self.application?.setStatusText(line) == true ? self.statusBroadcast : nil
            case .ask(var question, let token):
                guard let application = self.application,
                    let provider = application.profile.configuration.queue.provider
                else { return nil }
                question.app = application.facts.appID.rawValue
                question.session = application.facts.sessionID
                return .ask(
                    question, of: provider.plugin, within: application.profile.configuration.queue.deadline,
                    token: token)
            }
        }
    }

    /// Takes an answer of the provider of a queue; ignored when its session is over.
    /// - Parameter answer: nil when there was none in time.
    mutating func provided(
        _ token: Int, in session: String, _ answer: JSONObject?, at now: NIODeadline
    ) -> [Action] {
        guard self.application?.facts.sessionID == session,
            let wanted = self.application?.player?.provided(token, answer, at: now)
        else { return [] }
        return self.perform(wanted, asker: nil) + self.checkIdle(at: now)
    }

    /// The time when the app is closed for want of senders; nil while it is used, or when that never happens.
    var idleDeadline: NIODeadline? {
        guard let application = self.application, let idleSince = application.idleSince else { return nil }
        let timeout = application.profile.configuration.idleTimeout ?? self.configuration.idleTimeout
        return timeout > .zero ? idleSince + TimeAmount(timeout) : nil
    }

    /// Notes since when the app is unused, and closes it when that is too long.
    ///
    /// A weak or invisible sender does not keep an app alive, media that play do (protocol notes, 3.2).
    mutating func checkIdle(at now: NIODeadline) -> [Action] {
        // What a group plays is the group's to end.
        guard let session = self.currentSession, !self.speakers.follows else { return [] }
        guard !self.senders.hasStrong(at: session.transportID), self.application?.player?.isActive != true else {
            self.application?.idleSince = nil
            return []
        }
        if self.application?.idleSince == nil { self.application?.idleSince = now }
        guard let deadline = self.idleDeadline, deadline <= now else { return [] }
        return self.stopApplication(.idle) + [self.statusBroadcast]
    }
}

/// The reason an app of the built-in receiver ended.
enum SessionEnd: String, Hashable, Sendable {
    case stopped
    case replaced
    /// It was unused for too long.
    case idle
    case standby
    /// It failed in a way that it could not go on after.
    case failed
}
