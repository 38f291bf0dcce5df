import CastWire
import GatewayCore

/// Answers to senders while the device behind the relay is out of reach: for a short time that nothing has changed,
/// later what an idle device would say.
struct OfflineAnswers {
    /// The last status that the device gave; a plain one before the first.
    let status: ReceiverStatus

    /// - Parameter keepsApps: whether what ran on the device is still told of.
    init(lastKnown: ReceiverStatus?, keepsApps: Bool = false) {
        var status =
            lastKnown ?? ReceiverStatus(application: nil, volume: ReceiverVolume(level: 0, muted: false))
        if !keepsApps { status.applications = [] }
        self.status = status
    }

    /// The answer to a request, or nil when its sender does not wait for one.
    func answer(to message: CastMessage, _ summary: PayloadSummary) -> CastMessage? {
        guard let id = summary.requestID, id != .spontaneous else { return nil }
        guard message.isToPlatform else { return Self.unavailable.answer(to: message, summary) }
        switch (message.namespace, summary.type) {
        case (.receiver, "GET_STATUS"), (.receiver, "SET_VOLUME"), (.receiver, "STOP"):
            return message.reply(ReceiverStatusPayload(self.status, requestID: id).payload)
        case (.receiver, AppAvailability.type):
            // Which apps the device has is not known. Chromium believes that one is missing for a minute, and does not ask a device
            // that comes within that time.
            let apps = ReceiverRequest(message.payload)?.appIDs ?? []
            let running = self.status
            return message.reply(
                AppAvailability(of: apps, requestID: id) { running.application($0) == nil ? nil : true }.payload)
        case (.receiver, "LAUNCH"): return message.reply(LaunchError(.systemError, requestID: id).payload)
        case (.multizone, "GET_STATUS"):
            return message.reply(json: [
                "type": "MULTIZONE_STATUS", "requestId": id.json,
                "status": ["devices": [], "isMultichannel": false, "isVideoGroup": false],
            ])
        default: return Self.unavailable.answer(to: message, summary)
        }
    }

    private static let unavailable = Rejection(reason: "NOT_SUPPORTED", message: "the device is out of reach")

    /// The message to all senders when the device is lost.
    var broadcast: CastMessage {
        CastMessage(
            source: .platformReceiver, destination: .broadcast, namespace: .receiver,
            payload: ReceiverStatusPayload(self.status).payload)
    }
}
