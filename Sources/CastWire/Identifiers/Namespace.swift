/// The name that says what a payload means, such as `urn:x-cast:com.google.cast.media`.
public struct Namespace: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// Told apart once, when the name is made: every message is asked several times what it is.
    private enum Family: UInt8 {
        case custom
        case cast
        case transport
    }

    private static let castPrefix = "urn:x-cast:com.google.cast."
    private static let transportPrefix = "urn:x-cast:com.google.cast.tp."

    /// The namespace as it stands on the wire.
    public let rawValue: String
    private let family: Family

    /// Makes a namespace from its wire text; nothing is checked.
    public init(rawValue: String) {
        self.rawValue = rawValue
        if rawValue.hasPrefix(Self.transportPrefix) {
            self.family = .transport
        } else {
            self.family = rawValue.hasPrefix(Self.castPrefix) ? .cast : .custom
        }
    }

    /// Makes a namespace from a literal.
    public init(stringLiteral value: String) {
        self.init(rawValue: value)
    }

    /// True when the names are the same.
    public static func == (left: Namespace, right: Namespace) -> Bool {
        left.family == right.family && left.rawValue == right.rawValue
    }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.rawValue)
    }

    /// The namespace's wire text.
    public var description: String { self.rawValue }

    /// Opens and closes virtual connections (protocol notes, 3).
    public static let connection: Namespace = "urn:x-cast:com.google.cast.tp.connection"
    /// PING and PONG (protocol notes, 4).
    public static let heartbeat: Namespace = "urn:x-cast:com.google.cast.tp.heartbeat"
    /// Device authentication, a binary payload (protocol notes, 2.3).
    public static let deviceAuth: Namespace = "urn:x-cast:com.google.cast.tp.deviceauth"
    /// The receiver platform: status, launch, stop, volume (protocol notes, 5).
    public static let receiver: Namespace = "urn:x-cast:com.google.cast.receiver"
    /// Device information for senders (protocol notes, 5.9).
    public static let discovery: Namespace = "urn:x-cast:com.google.cast.receiver.discovery"
    /// Setup information (protocol notes, 5.10).
    public static let setup: Namespace = "urn:x-cast:com.google.cast.setup"
    /// Speaker groups (protocol notes, 5.8).
    public static let multizone: Namespace = "urn:x-cast:com.google.cast.multizone"
    /// Media playback (protocol notes, 6).
    public static let media: Namespace = "urn:x-cast:com.google.cast.media"
    /// Messages to every app of a kind (protocol notes, 5.11).
    public static let broadcast: Namespace = "urn:x-cast:com.google.cast.broadcast"
    /// The debug overlay that media apps list.
    public static let debugOverlay: Namespace = "urn:x-cast:com.google.cast.debugoverlay"
    /// Internal namespace that media apps list.
    public static let cac: Namespace = "urn:x-cast:com.google.cast.cac"

    /// True for the namespaces of apps, those that are not of Cast itself.
    public var isCustom: Bool { self.family == .custom }

    /// True for the transport namespaces (`…cast.tp.*`), which need no virtual connection.
    public var isTransport: Bool { self.family == .transport }
}
