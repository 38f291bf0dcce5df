package import CastWire
package import GatewayCore

/// The way of channels' messages out of the gateway: its webhooks, its broker and its events.
///
/// Called on the event loop of the message, so it must return at once.
package protocol ChannelBridge: Sendable {
    /// Takes a message for delivery to all of the places; what is taken is delivered at least once.
    /// - Returns: false when it was not taken, since too much waits.
    func deliver(_ message: RoutedMessage, to places: [ChannelDelivery]) -> Bool

    /// Asks a webhook for the reply to a message.
    /// - Parameters:
    ///   - reply: which webhook, and how long it may take.
    ///   - completion: called once, from any thread: with the reply, with nil when the webhook has none, or with why it cannot be
    ///     had.
    func ask(
        _ message: RoutedMessage, _ reply: ChannelReply,
        completion: @escaping @Sendable (Result<CastMessage.Payload?, GatewayError>) -> Void)

    /// A channel did not take a message.
    /// - Parameter namespace: of the channel, as the configuration has it.
    func refused(by rule: ChannelRule, in namespace: String)
}
