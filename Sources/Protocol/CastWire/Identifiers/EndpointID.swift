/// One end of a virtual connection: `sender-0`, `receiver-0`, an app's transport id, a page's client id.
///
/// Ids are chosen by senders and devices and are only unique within one socket (protocol notes, 3.1).
public struct EndpointID: RawRepresentable, Hashable, Sendable, FieldValue, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// The id as it stands on the wire; never empty in a message that was accepted.
    public let rawValue: String

    /// Makes an id from its wire text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Makes an id from a literal.
    public init(stringLiteral value: String) {
        self.rawValue = value
    }

    /// The id's wire text.
    public var description: String { self.rawValue }

    /// The platform end of a sender.
    public static let platformSender: EndpointID = "sender-0"

    /// The platform end of a device.
    public static let platformReceiver: EndpointID = "receiver-0"

    /// Every end connected to the source.
    public static let broadcast: EndpointID = "*"
}
