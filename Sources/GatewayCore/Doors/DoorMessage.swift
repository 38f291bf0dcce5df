public import CastWire

/// A message that a sender without a socket was told without having asked.
public struct DoorMessage: Hashable, Sendable {
    /// The virtual device.
    public var device: String
    /// The session that speaks; nil for the platform, or when the app has gone meanwhile.
    public var session: String?
    /// The message as senders get it.
    public var message: CastMessage

    /// Collects the parts.
    public init(device: String, session: String?, message: CastMessage) {
        self.device = device
        self.session = session
        self.message = message
    }
}
