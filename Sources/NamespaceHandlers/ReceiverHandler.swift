import CastWire
import GatewayCore

/// The receiver platform's namespace: lets a virtual device offer only some apps of the device behind it.
///
/// What the platform does with a request is up to the target: the built-in receiver, or the device.
struct ReceiverHandler: MessageHandler {
    /// Which apps a virtual device offers of its real one; a device without an entry offers all.
    let relayedApps: [String: Set<String>]

    let name = "receiver"
    let claims = [
        Claim(.exact(.receiver)),
        Claim(.exact(.receiver), directions: [.toSender], types: [ReceiverStatusPayload.type]),
    ]

    func handle(_ message: RoutedMessage, in context: HandlerContext) -> Verdict {
        if message.direction == .toSender { return self.status(message) }
        // What this gateway cannot read no rule could judge, yet a device might.
        guard message.summary.type != nil else { return .reject(.invalidParameters("no message type")) }
        guard let offered = self.relayedApps[message.device.name] else { return .forward }
        // What the device might read in another way than this gateway is not passed on.
        guard case .object(let members) = PayloadReading(message.message.payload),
            case .success = MessageFacts.text(members.type, "type"),
            let request = ReceiverRequest(message.message.payload)
        else { return .reject(.invalidParameters("'type' is ambiguous")) }
        switch request.kind {
        case .getAppAvailability: return self.availability(request, members.appID, offered: offered, of: message)
        case .getStatus, .setVolume, .stop: return .forward
        case .launch: return self.launch(members.appID, offered: offered)
        // A request of another platform than this gateway knows, perhaps another way to launch.
        case nil: return members.appID == .absent ? .forward : self.launch(members.appID, offered: offered)
        }
    }

    private func launch(_ app: PayloadMembers.Member, offered: Set<String>) -> Verdict {
        switch MessageFacts.text(app, "appId") {
        case .success(let id?) where offered.contains(id): .forward
        case .success(.some): .reject(Rejection(reason: LaunchError.Reason.notFound.rawValue))
        case .success(nil): .reject(Self.badParameter("no app id"))
        case .failure(let doubt): .reject(Self.badParameter(doubt.reason))
        }
    }

    private static func badParameter(_ message: String) -> Rejection {
        Rejection(reason: LaunchError.Reason.badParameter.rawValue, message: message)
    }

    /// Hides an app that is not offered, and with it the way to join it.
    private func status(_ message: RoutedMessage) -> Verdict {
        guard let offered = self.relayedApps[message.device.name],
            var payload = ReceiverStatusPayload(message.message.payload), var status = payload.status
        else { return .forward }
        let kept = status.applications.filter { app in
            let ids = [app.appID, app.universalAppID].compactMap(\.self)
            return app.isIdleScreen || ids.contains { offered.contains($0.rawValue) }
        }
        guard kept.count < status.applications.count else { return .forward }
        status.applications = kept
        payload.status = status
        return .forward(payload.payload)
    }

    /// Asks the device about what is offered only; what its answer does not name is not available.
    private func availability(
        _ request: ReceiverRequest, _ apps: PayloadMembers.Member, offered: Set<String>, of message: RoutedMessage
    ) -> Verdict {
        switch apps {
        case .value(.string): break
        case .value(.array(let elements)) where elements.allSatisfy({ $0.stringValue != nil }): break
        case .absent, .value, .ambiguous: return .reject(.invalidParameters("'appId' is no list of texts"))
        }
        let asked = request.appIDs
        let kept = asked.filter { offered.contains($0.rawValue) }
        if kept.count == asked.count { return .forward }
        guard let id = request.requestID else { return .drop("app not offered") }
        guard !kept.isEmpty else {
            return Verdict(.reply(AppAvailability(of: asked, requestID: id) { _ in false }.payload))
        }
        return .forward(ReceiverRequest.getAppAvailability(of: kept, requestID: id).payload)
    }
}
