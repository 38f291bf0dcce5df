import CastWire
import GatewayCore

/// What senders hear while the device behind the relay is out of reach: what an idle device would say.
struct OfflineAnswers {
    /// The last status that the device gave, without what ran on it; a plain one before the first.
    let status: ReceiverStatus

    init(lastKnown: ReceiverStatus?) {
        var status =
            lastKnown ?? ReceiverStatus(application: nil, volume: ReceiverVolume(level: 0, muted: false))
        status.applications = []
        self.status = status
    }

    /// The answer to a request, or nil when its sender does not wait for one.
    func answer(to message: CastMessage, _ summary: PayloadSummary) -> CastMessage? {
        guard let id = summary.requestID, id != .spontaneous else { return nil }
        switch (message.namespace, summary.type) {
        case (.receiver, "GET_STATUS"), (.receiver, "SET_VOLUME"), (.receiver, "STOP"):
            return message.reply(ReceiverStatusPayload(self.status, requestID: id).payload)
        case (.receiver, "GET_APP_AVAILABILITY"):
            let apps = ReceiverRequest(message.payload)?.appIDs ?? []
            return message.reply(AppAvailability(of: apps, requestID: id) { _ in false }.payload)
        case (.receiver, "LAUNCH"): return message.reply(LaunchError(.systemError, requestID: id).payload)
        case (.multizone, "GET_STATUS"):
            return message.reply(json: [
                "type": "MULTIZONE_STATUS", "requestId": id.json,
                "status": ["devices": [], "isMultichannel": false, "isVideoGroup": false],
            ])
        default:
            let rejection = Rejection(reason: "NOT_SUPPORTED", message: "the device is out of reach")
            return rejection.answer(to: message, summary)
        }
    }

    /// What all senders are told when the device is lost.
    var broadcast: CastMessage {
        CastMessage(
            source: .platformReceiver, destination: .broadcast, namespace: .receiver,
            payload: ReceiverStatusPayload(self.status).payload)
    }
}
