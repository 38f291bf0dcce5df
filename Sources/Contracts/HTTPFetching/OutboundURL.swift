package import GatewayConfig

/// The URL of a server that the gateway asks: `https://HOST[:PORT][/PATH][?QUERY]` of RFC 3986, with nothing in it that two readers could understand
/// differently: no user, no fragment, no character that has to be encoded.
package struct OutboundURL: Sendable, Hashable {
    /// What is wrong with a text; holds nothing of it that may be secret.
    package struct Malformed: Error, Hashable, Sendable, CustomStringConvertible {
        /// What is wrong, in words that fit behind the name of a key.
        package let description: String
        /// What to do about it; nil when there is nothing to say.
        package var hint: String?

        /// Says what is wrong.
        package init(description: String, hint: String? = nil) {
            self.description = description
            self.hint = hint
        }
    }

    /// The URL as it is written.
    package let text: String
    /// Whether TLS protects it.
    package let isEncrypted: Bool
    /// The host as it is written: a name, an IPv4 address in whatever form, or an IPv6 address in brackets.
    package let host: String
    /// The port that is connected to.
    package let port: Int

    /// Reads a URL.
    package init(_ text: String) throws(Malformed) {
        let scheme = text.prefix { $0 != ":" }
        guard text[scheme.endIndex...].hasPrefix("://"), text.utf8.count <= 4096 else {
            throw Malformed(description: "is no URL", hint: "such as https://backend.example.com/cast")
        }
        switch scheme.lowercased() {
        case "https": self.isEncrypted = true
        case "http": self.isEncrypted = false
        default: throw Malformed(description: "has another scheme than https", hint: nil)
        }
        let rest = text[scheme.endIndex...].dropFirst(3)
        let authority = rest.prefix { !"/?#".contains($0) }
        guard !authority.contains("@") else {
            throw Malformed(
                description: "has a user or a password in it",
                hint: "the signature tells the back end who sends; a token may stand in the query")
        }
        guard !rest.contains("#") else { throw Malformed(description: "has a fragment (#), which is never sent") }
        guard Self.isPathAndQuery(rest.dropFirst(authority.count)) else {
            throw Malformed(
                description: "has a character that does not belong in a URL",
                hint: "write it with % and two hexadecimal digits")
        }
        (self.host, self.port) = try Self.hostAndPort(authority, defaultPort: self.isEncrypted ? 443 : 80)
        self.text = text
    }

    /// Scheme, host and port, which may be shown: paths and queries often hold tokens.
    package var shown: String { "\(self.isEncrypted ? "https" : "http")://\(self.host):\(self.port)" }

    /// The host when it is an address as RFC 3986 has it, to which the client connects without looking anything up.
    package var address: IPAddress? {
        IPAddress(self.host.hasPrefix("[") ? String(self.host.dropFirst().dropLast()) : self.host)
    }

    private static func hostAndPort(
        _ authority: Substring, defaultPort: Int
    ) throws(Malformed) -> (host: String, port: Int) {
        let host: Substring
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]"),
                let address = IPAddress(String(authority[authority.index(after: authority.startIndex)..<end])),
                address.bitWidth == 128, !authority.contains("%")
            else { throw Malformed(description: "has no IPv6 address in its brackets") }
            host = authority[...end]
        } else {
            host = authority.prefix { $0 != ":" }
            let isName = host.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
            guard isName, (1...253).contains(host.utf8.count) else {
                throw Malformed(
                    description: "has no host that can be looked up", hint: "names beyond ASCII are written as xn--…")
            }
        }
        guard host.endIndex != authority.endIndex else { return (String(host), defaultPort) }
        let digits = authority[host.endIndex...].dropFirst()
        guard authority[host.endIndex] == ":", (1...5).contains(digits.utf8.count),
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = Int(digits), (1...65535).contains(port)
        else { throw Malformed(description: "has a port that is none") }
        return (String(host), port)
    }

    /// Whether a text has only characters of `path` and `query` of RFC 3986, section 3, and `%` only before two digits.
    private static func isPathAndQuery(_ text: Substring) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.indices.allSatisfy { index in
            Self.isPathOrQuery(bytes[index], before: bytes[(index + 1)...])
        }
    }

    /// Whether a byte may stand in `path` or `query` of RFC 3986, section 3.
    /// - Parameter rest: what follows it.
    static func isPathOrQuery(_ byte: UInt8, before rest: ArraySlice<UInt8>) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "%"): rest.prefix(2).count { $0.isHexadecimalDigit } == 2
        default: "-._~!$&'()*+,;=:@/?".utf8.contains(byte)
        }
    }
}

extension UInt8 {
    fileprivate var isHexadecimalDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
