import GatewayConfig

/// A secret of Standard Webhooks, by which a back end can tell that a request is the gateway's: `whsec_` and the base64 of 24 to 64
/// bytes.
struct WebhookSecret: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// A fault of a text that is no secret; never holds the text.
    struct Malformed: Error, Hashable, CustomStringConvertible {
        let description: String
    }

    /// The number of bytes a key may have.
    static let keyLength = 24...64
    /// The number of secrets a destination may have, so that one can take the place of another.
    static let mostSecrets = 2

    private static let prefix = "whsec_"

    let key: [UInt8]

    init(_ text: some StringProtocol) throws(Malformed) {
        guard text.hasPrefix(Self.prefix) else { throw Malformed(description: "does not begin with whsec_") }
        guard let key = Self.decoded(Array(text.utf8.dropFirst(Self.prefix.utf8.count))) else {
            throw Malformed(description: "has something else than base64 behind whsec_")
        }
        guard Self.keyLength.contains(key.count) else {
            throw Malformed(
                description:
                    "has \(key.count) bytes, and must have \(Self.keyLength.lowerBound) to \(Self.keyLength.upperBound)"
            )
        }
        self.key = key
    }

    /// Reads what `secret` holds: one secret, or two with white space between them.
    static func all(in secret: Secret) throws(Malformed) -> [WebhookSecret] {
        let texts = secret.reveal().split(whereSeparator: \.isWhitespace)
        guard !texts.isEmpty else { throw Malformed(description: "is empty") }
        guard texts.count <= Self.mostSecrets else {
            throw Malformed(description: "holds \(texts.count) secrets, and must hold one or two")
        }
        var secrets: [WebhookSecret] = []
        for text in texts { secrets.append(try WebhookSecret(text)) }
        return secrets
    }

    /// Always `«redacted»`.
    var description: String { Secret.redacted }

    /// A mirror without children, so that `dump` and test failures print nothing either.
    var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }

    /// The bytes of base64 with its padding (RFC 4648, section 4); nil for anything else.
    private static func decoded(_ text: [UInt8]) -> [UInt8]? {
        guard !text.isEmpty, text.count % 4 == 0, text.count <= 512 else { return nil }
        let padding = text.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard padding <= 2 else { return nil }
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for sign in text.dropLast(padding) {
            guard let digit = Self.digit(sign) else { return nil }
            bits = bits << 6 | digit
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        return bytes
    }

    private static func digit(_ sign: UInt8) -> UInt32? {
        switch sign {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(sign - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(sign - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(sign - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
