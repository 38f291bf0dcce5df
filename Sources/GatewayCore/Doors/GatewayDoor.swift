public import CastWire

/// What comes in otherwise than over a sender's channel: what plugins, bridges and the API have to say.
///
/// Whoever speaks here is a sender of the virtual device's, without a socket: `door-NAME` is its id, filters, owners and
/// observers see its messages, and the built-in receiver and real devices know it like any other. It is made when it first
/// speaks, stays for what the app answers, and goes when it has been silent for long. Messages of one speaker to one device
/// keep their order.
public protocol GatewayDoor: Sendable {
    /// How things stand: what the virtual devices are, what runs on them, what is played.
    ///
    /// The devices are asked one after the other, so the parts may be some microseconds apart.
    func snapshot() async -> GatewaySnapshot

    /// Sends a message to an app or to the platform, as a sender does.
    ///
    /// With `wait`, a payload that is a JSON object is given a `requestId` of its own (what stands there is replaced), and the
    /// answer with that id is returned.
    /// - Parameters:
    ///   - payload: text or bytes, at most 64 KiB together with the names.
    ///   - sender: who speaks, and what caused it.
    ///   - wait: how long to wait for the answer; nil returns as soon as the message is routed.
    /// - Returns: the answer's payload, nil without `wait`.
    /// - Throws: `unknown_device`; `unknown_session` when nothing runs, or another session; `reserved_namespace` for
    ///   those of the transport; `message_too_big`; `message_loop` when too many messages lie behind it; `send_buffer_full`
    ///   when the speaker is too fast or waits for too much; `invalid_request` when an answer is wanted for what is no JSON
    ///   object; with `wait` also `timeout`, and `disconnected` when the app or the device goes away.
    func send(
        _ payload: CastMessage.Payload, namespace: Namespace, to app: DoorAddress, as sender: MessageOrigin,
        wait: Duration?
    ) async throws(GatewayError) -> CastMessage.Payload?

    /// Says something to all senders that are connected to an app or to the platform, as the app would.
    ///
    /// - Throws: As ``send(_:namespace:to:as:wait:)`` without `wait`.
    func broadcast(
        _ payload: CastMessage.Payload, namespace: Namespace, to app: DoorAddress, as sender: MessageOrigin
    ) async throws(GatewayError)

    /// Hears what the speaker's sender is told on a device without having asked: broadcasts of the apps and the platform it
    /// is connected to, and messages addressed to it. It is connected to what the address names by this, if it was not.
    ///
    /// - Parameter limit: how many messages are kept for a listener that is slow; the oldest go first, counted.
    /// - Throws: As ``send(_:namespace:to:as:wait:)`` without `wait`.
    func listen(to app: DoorAddress, as sender: MessageOrigin, limit: Int) async throws(GatewayError) -> DoorInbox
}
