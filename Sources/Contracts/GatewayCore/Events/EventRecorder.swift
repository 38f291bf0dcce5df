public import CastWire
import SystemPrimitives

/// Takes every event that is published, on the publisher's thread: the journal.
///
/// It must neither wait nor encode there. Messages of an app's own come for the namespaces alone that were named to
/// ``EventBus/setRecordedNamespaces(_:)``.
public protocol EventRecorder: AnyObject, Sendable {
    /// Takes one.
    /// - Parameter cause: the request of a caller that it comes of; nil where that is not known, or none is.
    func record(_ item: RecordedEvent, cause: String?)
}

/// What a recorder gets.
public enum RecordedEvent: Sendable {
    /// An event as all subscribers get it.
    case event(GatewayEvent)
    /// A status that a virtual device tells its senders, as it stands in the message: reading it is left to the recorder.
    case status(CastMessage, device: DeviceFacts)
}

extension EventBus {
    /// Publishes a status that a virtual device broadcasts, for subscribers that do not speak Cast. Costs the publisher a look at
    /// the namespace for other messages, and no reading of JSON while there is no subscriber but the recorder.
    public func publishStatus(_ message: CastMessage, of device: DeviceFacts) {
        guard message.family == .receiver || message.namespace == .media, self.hasSubscribers else { return }
        self.recordStatus(message, of: device)
        guard self.hasMessageSubscribers else { return }
        if message.family == .receiver {
            guard let status = ReceiverStatusPayload(message.payload)?.status else { return }
            self.deliver(.receiverStatus(device: device.name, status: status.json))
        } else {
            guard let json = message.payload.jsonObject, json.string("type") == "MEDIA_STATUS" else { return }
            for status in json.objects("status") ?? [] {
                self.deliver(.mediaStatus(device: device.name, transportID: message.source, status: status))
            }
        }
    }

    /// Records a status that a virtual device tells one sender alone.
    public func recordStatus(_ message: CastMessage, of device: DeviceFacts) {
        guard message.family == .receiver || message.namespace == .media else { return }
        self.recorder?.record(.status(message, device: device), cause: CommandTrace.current?.request)
    }
}
