public import CastWire

/// Something that a handler wants done beside the decision about a message.
///
/// Effects run in list order, after the disposition was carried out, before the next message of the flow. Messages are
/// addressed relative to the one that was decided about; without a namespace they have its namespace. The grant in
/// `gateway.yaml` bounds the effects of a plugin: what is not granted is refused and logged, and the disposition stands.
public enum Effect: Hashable, Sendable {
    /// A message to the sender, on the virtual connection of the message.
    case replyToSender(namespace: Namespace? = nil, payload: CastMessage.Payload)
    /// A message to every sender that is connected to the message's session.
    case broadcast(namespace: Namespace? = nil, payload: CastMessage.Payload)
    /// A message to the receiver, as if the message's sender had sent it.
    case sendToReceiver(namespace: Namespace? = nil, payload: CastMessage.Payload)
    /// An event for the gateway's bus. Subscribers may skip all but the latest of the events with one key.
    case emit(event: String, data: JSONValue = [:], key: String? = nil)
    /// Stores a value in the plugin's store (plugins only).
    case put(key: String, value: JSONValue)
    /// Deletes a value from the plugin's store (plugins only).
    case delete(key: String)
    /// A line for the gateway's log.
    case log(LogLevel, String)

    /// The severity of a log line, by its name on the plugin wire.
    public enum LogLevel: String, Hashable, Sendable, CaseIterable {
        /// Every step, for a developer who searches a fault.
        case trace
        /// What a developer needs to search a fault.
        case debug
        /// Normal operation.
        case info
        /// Normal, but worth the operator's attention.
        case notice
        /// A fault that was dealt with.
        case warning
        /// Something failed.
        case error
        /// The operator has to act at once.
        case critical
    }

    /// True for an effect that needs a plugin's store: a handler in the gateway keeps its own state.
    public var needsStore: Bool {
        switch self {
        case .put, .delete: true
        default: false
        }
    }
}
