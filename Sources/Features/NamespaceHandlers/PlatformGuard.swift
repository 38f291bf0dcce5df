package import CastWire
package import GatewayCore

/// The rules for the platform's messages whichever handlers are on: a virtual device offers some apps of the device behind it
/// alone (`apps`), and what this gateway cannot read does not get to a device, which might read it in another way.
package struct PlatformGuard: MessageGuard {
    private let relayedApps: [String: Set<String>]

    /// - Parameter relayedApps: which apps a virtual device offers of its real one, by the virtual device's name; one without an
    ///   entry offers all.
    package init(relayedApps: [String: Set<String>]) {
        self.relayedApps = relayedApps
    }

    /// True for what senders say in the receiver, media and multizone namespaces, and for the receiver's answers where apps are
    /// hidden.
    package func concerns(_ namespace: Namespace, _ direction: MessageDirection) -> Bool {
        switch direction {
        case .toReceiver: namespace == .receiver || namespace == .media || namespace == .multizone
        case .toSender: namespace == .receiver && !self.relayedApps.isEmpty
        }
    }

    /// Refuses what is not offered or cannot be read, and hides what is not offered.
    package func judge(_ message: RoutedMessage) -> GuardDecision {
        if message.direction == .toSender { return self.status(message) }
        if message.message.family == .receiver { return self.request(message) }
        // What this gateway cannot read no rule could judge, yet an app might.
        guard message.summary.type == nil else { return .pass }
        return message.message.namespace == .multizone
            ? .drop("no message type") : .reject(.invalidParameters("no message type"))
    }

    /// In words what is refused and hidden.
    package func explanation(of namespace: Namespace, _ direction: MessageDirection, device: String) -> [String] {
        var lines: [String] = []
        if direction == .toReceiver {
            lines.append("\(namespace == .multizone ? "drops" : "refuses") messages without a type")
        }
        if namespace == .receiver, let offered = self.relayedApps[device] {
            let apps = offered.isEmpty ? "no apps" : "the apps \(offered.sorted().joined(separator: " "))"
            lines.append("\(direction == .toReceiver ? "launches" : "shows") \(apps) alone")
        }
        return lines
    }

    // MARK: Requests

    private func request(_ message: RoutedMessage) -> GuardDecision {
        // What this gateway cannot read no rule could judge, yet a device might.
        guard message.summary.type != nil else { return .reject(.invalidParameters("no message type")) }
        guard let offered = self.relayedApps[message.device.name] else { return .pass }
        // What the device might read in another way than this gateway is not passed on.
        guard case .object(let members) = PayloadReading(message.message.payload),
            case .success = MessageFacts.text(members.type, "type"),
            let request = ReceiverRequest(message.message.payload)
        else { return .reject(.invalidParameters("'type' is ambiguous")) }
        switch request.kind {
        case .getAppAvailability: return self.availability(request, members.appID, offered: offered)
        case .getStatus, .setVolume, .stop: return .pass
        case .launch: return self.launch(members.appID, offered: offered)
        // A request of another platform than this gateway knows, perhaps another way to launch.
        case nil: return members.appID == .absent ? .pass : self.launch(members.appID, offered: offered)
        }
    }

    private func launch(_ app: PayloadMembers.Member, offered: Set<String>) -> GuardDecision {
        switch MessageFacts.text(app, "appId") {
        case .success(let id?) where offered.contains(id): .pass
        case .success(.some): .reject(Rejection(reason: LaunchError.Reason.notFound.rawValue))
        case .success(nil): .reject(Self.badParameter("no app id"))
        case .failure(let doubt): .reject(Self.badParameter(doubt.reason))
        }
    }

    private static func badParameter(_ message: String) -> Rejection {
        Rejection(reason: LaunchError.Reason.badParameter.rawValue, message: message)
    }

    /// Asks the device about what is offered only; what its answer does not name is not available.
    private func availability(
        _ request: ReceiverRequest, _ apps: PayloadMembers.Member, offered: Set<String>
    ) -> GuardDecision {
        switch apps {
        case .value(.string): break
        case .value(.array(let elements)) where elements.allSatisfy({ $0.stringValue != nil }): break
        case .absent, .value, .ambiguous: return .reject(.invalidParameters("'appId' is no list of texts"))
        }
        let asked = request.appIDs
        let kept = asked.filter { offered.contains($0.rawValue) }
        if kept.count == asked.count { return .pass }
        guard let id = request.requestID else { return .drop("app not offered") }
        guard !kept.isEmpty else { return .answer(AppAvailability(of: asked, requestID: id) { _ in false }.payload) }
        return .change(ReceiverRequest.getAppAvailability(of: kept, requestID: id).payload)
    }

    // MARK: Statuses

    /// Hides an app that is not offered, and with it the way to join it.
    private func status(_ message: RoutedMessage) -> GuardDecision {
        guard let offered = self.relayedApps[message.device.name],
            var payload = ReceiverStatusPayload(message.message.payload), var status = payload.status
        else { return .pass }
        let kept = status.applications.filter { app in
            let ids = [app.appID, app.universalAppID].compactMap(\.self)
            return app.isIdleScreen || ids.contains { offered.contains($0.rawValue) }
        }
        guard kept.count < status.applications.count else { return .pass }
        status.applications = kept
        payload.status = status
        return .change(payload.payload)
    }
}
