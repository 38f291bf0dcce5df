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
        guard let offered = self.relayedApps[message.device.name],
            let request = ReceiverRequest(message.message.payload)
        else { return .forward }
        switch request.kind {
        case .launch: return self.launch(request, offered: offered)
        case .getAppAvailability: return self.availability(request, offered: offered, of: message)
        default: return .forward
        }
    }

    private func launch(_ request: ReceiverRequest, offered: Set<String>) -> Verdict {
        guard let app = request.appID, !offered.contains(app.rawValue) else { return .forward }
        guard let id = request.requestID else { return .drop("app not offered") }
        return Verdict(.reply(LaunchError(.notFound, requestID: id).payload))
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
        var changed = message.message
        changed.payload = payload.payload
        return .forward(changed)
    }

    /// Asks the device about what is offered only; what its answer does not name is not available.
    private func availability(_ request: ReceiverRequest, offered: Set<String>, of message: RoutedMessage) -> Verdict {
        let asked = request.appIDs
        let kept = asked.filter { offered.contains($0.rawValue) }
        if kept.count == asked.count { return .forward }
        guard let id = request.requestID else { return .drop("app not offered") }
        guard !kept.isEmpty else {
            return Verdict(.reply(AppAvailability(of: asked, requestID: id) { _ in false }.payload))
        }
        var changed = message.message
        changed.payload = ReceiverRequest.getAppAvailability(of: kept, requestID: id).payload
        return .forward(changed)
    }
}
