/// The name that says what a payload means, such as `urn:x-cast:com.google.cast.media`.
public struct Namespace: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// What a namespace is for. Told once, when the name is made: every message is asked several times.
    public enum Family: UInt8, Sendable {
        /// An app's own.
        case custom
        /// ``Namespace/receiver``.
        case receiver
        /// Another one of Cast itself.
        case cast
        /// ``Namespace/connection``.
        case connection
        /// ``Namespace/heartbeat``.
        case heartbeat
        /// ``Namespace/deviceAuth``.
        case deviceAuth
        /// Another transport namespace (`…cast.tp.*`).
        case transport
        /// No namespace at all: see ``Namespace/isValid``.
        case invalid
    }

    /// What every namespace begins with.
    public static let prefix = "urn:x-cast:"
    /// How many bytes a namespace may have, with its prefix; senders' SDKs take no more.
    public static let maximumLength = 128

    private static let castPrefix = "urn:x-cast:com.google.cast."
    /// The names of the platform behind ``castPrefix``, those of the transport aside.
    private static let platformNames: Set<String> = [
        "receiver", "receiver.discovery", "setup", "multizone", "media", "broadcast", "webrtc", "remoting",
    ]

    /// The namespace as it stands on the wire.
    public let rawValue: String
    /// What the namespace is for.
    public let family: Family

    /// Makes a namespace from its wire text, whatever that is; ``isValid`` says whether it is one.
    public init(rawValue: String) {
        self.rawValue = rawValue
        self.family = Self.family(of: rawValue)
    }

    private static func family(of name: String) -> Family {
        guard Self.isWellFormed(name), !Self.isDisguised(name) else { return .invalid }
        guard name.hasPrefix(Self.castPrefix) else { return .custom }
        switch name.utf8.dropFirst(Self.castPrefix.utf8.count) {
        case let rest where rest.elementsEqual("receiver".utf8): return .receiver
        case let rest where rest.elementsEqual("tp.connection".utf8): return .connection
        case let rest where rest.elementsEqual("tp.heartbeat".utf8): return .heartbeat
        case let rest where rest.elementsEqual("tp.deviceauth".utf8): return .deviceAuth
        case let rest where rest.starts(with: "tp.".utf8): return .transport
        default: return .cast
        }
    }

    private static func isWellFormed(_ name: String) -> Bool {
        let bytes = name.utf8
        return bytes.count > Self.prefix.utf8.count && bytes.count <= Self.maximumLength
            && name.hasPrefix(Self.prefix) && bytes.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "*") }
    }

    /// Whether it is a name of Cast itself in other capitals, which rules for that name would not be asked about.
    private static func isDisguised(_ name: String) -> Bool {
        guard name.utf8.contains(where: { (0x41...0x5A).contains($0) }) else { return false }
        let lowercased = name.lowercased()
        guard lowercased.hasPrefix(Self.castPrefix) else { return false }
        let rest = lowercased.dropFirst(Self.castPrefix.count)
        return !name.hasPrefix(Self.castPrefix) || rest.hasPrefix("tp.") || Self.platformNames.contains(String(rest))
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

    /// The namespaces of Cast itself that have a name here.
    public static let wellKnown: [Namespace] = [
        .connection, .heartbeat, .deviceAuth, .receiver, .discovery, .setup, .multizone, .media, .broadcast,
        .debugOverlay, .cac,
    ]

    /// True for what is a namespace: `urn:x-cast:` and more, at most ``maximumLength`` bytes of visible ASCII without `*`, and no name of
    /// Cast itself in other capitals. Messages in anything else go nowhere.
    public var isValid: Bool { self.family != .invalid }

    /// True for the namespaces of apps, those that are not of Cast itself.
    public var isCustom: Bool { self.family == .custom }

    /// True for the transport namespaces (`…cast.tp.*`), which need no virtual connection.
    public var isTransport: Bool {
        switch self.family {
        case .connection, .heartbeat, .deviceAuth, .transport: true
        case .custom, .receiver, .cast, .invalid: false
        }
    }
}
