import CastWire
import GatewayCore

/// Reads the statuses that a target broadcasts and publishes them, for the doors that do not speak Cast.
enum StatusEvents {
    static func publish(_ message: CastMessage, device: String, to events: EventBus) {
        switch message.namespace {
        case .receiver:
            guard let status = ReceiverStatusPayload(message.payload)?.status else { return }
            events.publish(.receiverStatus(device: device, status: status.json))
        case .media:
            guard let json = message.payload.jsonObject, json.string("type") == "MEDIA_STATUS" else { return }
            for status in json.array("status")?.compactMap(\.objectValue) ?? [] {
                events.publish(.mediaStatus(device: device, transportID: message.source, status: status))
            }
        default: break
        }
    }
}
