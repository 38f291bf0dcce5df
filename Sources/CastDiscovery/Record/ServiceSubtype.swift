public import CastWire

/// What a device can be asked for by name: an app, or a namespace that its app understands (protocol notes, 1.4).
public struct ServiceSubtype: Hashable, Sendable, CustomStringConvertible {
    /// The label before `._sub._googlecast._tcp`, with its underscore.
    public let label: String

    /// Reads the label of a subtype.
    /// - Returns: nil when it is no DNS label that begins with an underscore.
    public init?(label: String) {
        guard label.hasPrefix("_"), (2...63).contains(label.utf8.count), !label.contains(".") else { return nil }
        self.label = label
    }

    /// The subtype of an app: `_CC1AD845`.
    /// - Returns: nil for ids that fit in no DNS label.
    public init?(app: AppID) {
        self.init(label: "_\(app.rawValue)")
    }

    /// The subtype of a namespace: `_%` and SHA-1 of its name, in capital hexadecimal digits.
    public init(namespace: Namespace) {
        self.label = "_%" + RecordDigest.digits(of: Array(namespace.rawValue.utf8))
    }

    /// What senders ask for in the first place: devices that play media.
    public static let media = ServiceSubtype(namespace: .media)

    /// The whole type to browse or to publish.
    public var type: String { "\(self.label)._sub.\(CastService.type)" }

    /// The label.
    public var description: String { self.label }
}
