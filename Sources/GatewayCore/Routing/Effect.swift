public import CastWire

/// What a handler wants done besides deciding about the message.
///
/// Effects run in list order, after the disposition was carried out, before the next message of the flow.
public enum Effect: Hashable, Sendable {
    /// A message to senders: to the end it names on the connection that the message came from, or with destination
    /// `*` to every sender connected to its source.
    case sendToSenders(CastMessage)
    /// A message to what the virtual device stands for, as if this message's sender had sent it.
    case sendToReceiver(CastMessage)
    /// Something for the event bus.
    case emit(GatewayEvent)
}
