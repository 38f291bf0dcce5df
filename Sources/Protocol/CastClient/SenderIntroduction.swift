public import CastWire

/// What a sender says of itself to an app when it connects to it (protocol notes, 3.2).
public struct SenderIntroduction: Hashable, Sendable {
    /// What its software calls itself; nil leaves it out.
    public var userAgent: String?
    /// The rest; nil leaves it out.
    public var info: SenderInfo?

    /// Makes an introduction.
    public init(userAgent: String? = "Castway", info: SenderInfo? = nil) {
        self.userAgent = userAgent
        self.info = info
    }

    /// The CONNECT that says so.
    public var connect: ConnectionPayload { .connect(userAgent: self.userAgent, senderInfo: self.info) }
}
