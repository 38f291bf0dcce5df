import CastWire
import GatewayCore

/// The apps that show a sender's own screen or play its sound. Their stream is no message: it goes by UDP from the sender
/// to the address to which it has its channel, and that is the gateway's. So behind a relay that does not pass the stream on
/// (``MirroringStreams``) there is no such app, whatever the device says.
enum StreamedApps {
    private static let refusal = Rejection(
        reason: LaunchError.Reason.notFound.rawValue, message: "mirrored streams are not passed on")

    /// Returns the answer to a request in the device's place.
    /// - Returns: nil when the request concerns other apps too, or none of these, and goes on.
    static func answer(to message: CastMessage) -> SenderRelay.Outcome? {
        guard message.isToPlatform else { return nil }
        let summary = message.summary
        switch summary.type {
        case "LAUNCH":
            guard ReceiverRequest(message.payload)?.appID?.isStreamed ?? false else { return nil }
            return SenderRelay.Outcome(Self.refusal.answer(to: message, summary))
        case AppAvailability.type:
            let apps = ReceiverRequest(message.payload)?.appIDs ?? []
            guard !apps.isEmpty, apps.allSatisfy(\.isStreamed) else { return nil }
            guard let id = summary.requestID, id != .spontaneous else { return .ignored }
            return .answered(message.reply(AppAvailability(of: apps, requestID: id) { _ in false }.payload))
        default: return nil
        }
    }

    /// The message of the device's platform as senders get it: none of these apps is available.
    static func withheld(from message: CastMessage) -> CastMessage {
        guard message.source == .platformReceiver, message.summary.type == AppAvailability.type,
            var answer = AppAvailability(message.payload)
        else { return message }
        let streamed = answer.availableApps.filter(\.isStreamed)
        guard !streamed.isEmpty else { return message }
        for app in streamed { answer.setUnavailable(app) }
        var message = message
        message.payload = answer.payload
        return message
    }
}
