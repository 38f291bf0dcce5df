public import CastWire

/// An app on a virtual device, or the device's platform, or the app that the gateway's own session with a real device is with:
/// what a message of an internal sender is addressed to.
public struct AppAddress: Hashable, Sendable, CustomStringConvertible {
    /// The device's name in the gateway.
    public var device: String
    /// Whether a virtual device is meant, or the gateway's own session with a real one.
    public var leg: MessageLeg
    /// The id of the session that is meant; nil stands for the app that runs, or for the platform when the namespace is
    /// the platform's.
    public var session: String?

    /// Makes an address.
    public init(device: String, leg: MessageLeg = .sender, session: String? = nil) {
        self.device = device
        self.leg = leg
        self.session = session
    }

    /// The address for logs, such as `lobby` or `lobby/1f0c`.
    public var description: String { self.session.map { "\(self.device)/\($0)" } ?? self.device }
}

/// Sends and receives Cast messages for plugins, bridges and the API, which have no channel to a virtual device.
///
/// Each of them is an *internal sender* of the virtual device: a sender without a socket. Its id is `door-NAME`; filters,
/// owners and observers see its messages, and the built-in receiver and real devices know it like any other sender. It is
/// made with its first message, stays for what the app answers, and is removed when it has not been used for five minutes.
/// Messages of one internal sender to one device keep their order.
public protocol InternalSenders: Sendable {
    /// The state of the virtual devices: what they are, what runs on them, what is played.
    ///
    /// The devices are asked one after the other, so the parts may be some microseconds apart.
    func snapshot() async -> GatewaySnapshot

    /// The real devices, and the gateway's own sessions with them; a session whose event loop does not answer soon is left out.
    func ownSnapshot() async -> GatewaySnapshot

    /// Sends a message to an app or to the platform, as a sender does.
    ///
    /// With `wait`, a payload that is a JSON object is given a `requestId` of its own (what stands there is replaced), and the
    /// answer with that id is returned.
    /// - Parameters:
    ///   - payload: text or bytes, at most `CastMessage.maximumBodyLength` bytes together with the names.
    ///   - sender: the internal sender, and what caused the message.
    ///   - wait: how long to wait for the answer; nil returns as soon as the message is routed.
    /// - Returns: the answer's payload, nil without `wait`.
    /// - Throws: `unknown_device`; `unknown_session` when nothing runs, or another session; `reserved_namespace` for
    ///   those of the transport; `message_too_big`; `message_loop` when too many messages lie behind it; `send_buffer_full`
    ///   when the sender is too fast or waits for too much; `invalid_request` when an answer is wanted for what is no JSON
    ///   object; with `wait` also `timeout`, and `disconnected` when the app or the device goes away.
    func send(
        _ payload: CastMessage.Payload, namespace: Namespace, to app: AppAddress, as sender: MessageOrigin,
        wait: Duration?
    ) async throws(GatewayError) -> CastMessage.Payload?

    /// Sends a message to all senders that are connected to an app or to the platform, as the app would.
    ///
    /// - Throws: As ``send(_:namespace:to:as:wait:)`` without `wait`.
    func broadcast(
        _ payload: CastMessage.Payload, namespace: Namespace, to app: AppAddress, as sender: MessageOrigin
    ) async throws(GatewayError)

    /// Receives what the internal sender gets on a device without having asked: broadcasts of the apps and the platform it
    /// is connected to, and messages addressed to it. It is connected to what the address names by this, if it was not.
    ///
    /// - Parameter limit: how many messages are kept for a reader that is slow; the oldest go first, counted.
    /// - Throws: As ``send(_:namespace:to:as:wait:)`` without `wait`.
    func listen(to app: AppAddress, as sender: MessageOrigin, limit: Int) async throws(GatewayError) -> SenderInbox
}

extension InternalSenders {
    /// There are no sessions of the gateway's own.
    public func ownSnapshot() async -> GatewaySnapshot { GatewaySnapshot() }
}
