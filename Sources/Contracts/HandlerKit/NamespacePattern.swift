public import CastWire

/// Which namespaces a claim wants: one, all below a dotted prefix, or every one.
///
/// `urn:x-cast:com.example.*` matches `…example.a` and `…example.a.b`, neither `…example` nor `…examples`.
public enum NamespacePattern: Hashable, Sendable {
    /// This namespace alone.
    case exact(Namespace)
    /// Every namespace that begins with this text, which ends in a dot.
    case prefix(String)
    /// Every namespace; for filters and observers only.
    case any

    /// Reads `name`, `name.*` or `*`; nil for anything else that holds a star, and for empty text.
    public init?(_ text: String) {
        if text == "*" {
            self = .any
        } else if text.hasSuffix(".*") {
            let prefix = String(text.dropLast())
            guard !prefix.contains("*"), prefix.count > 1 else { return nil }
            self = .prefix(prefix)
        } else {
            guard !text.isEmpty, !text.contains("*") else { return nil }
            self = .exact(Namespace(rawValue: text))
        }
    }

    /// True when the namespace is wanted.
    public func matches(_ namespace: Namespace) -> Bool {
        switch self {
        case .exact(let exact): exact == namespace
        case .prefix(let prefix): namespace.rawValue.hasPrefix(prefix) && namespace.rawValue != prefix
        case .any: true
        }
    }

    /// True when only namespaces that the gateway itself serves could match: heartbeat, connection, device authentication.
    public var isReserved: Bool {
        switch self {
        case .exact(let namespace): namespace.isTransport
        case .prefix(let prefix): Namespace(rawValue: prefix).isTransport
        case .any: false
        }
    }

    /// How specific the pattern is; of two that match, the greater owns the message.
    public var specificity: Int {
        switch self {
        case .exact: Int.max
        case .prefix(let prefix): prefix.utf8.count
        case .any: 0
        }
    }
}

extension NamespacePattern: CustomStringConvertible {
    /// The pattern as it is written in `gateway.yaml`.
    public var description: String {
        switch self {
        case .exact(let namespace): namespace.rawValue
        case .prefix(let prefix): prefix + "*"
        case .any: "*"
        }
    }
}
