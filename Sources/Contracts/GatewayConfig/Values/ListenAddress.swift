/// An address to listen on: `host:port`, or `[v6]:port`.
package struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// An IPv4 or IPv6 address (without brackets) or a host name.
    package var host: String
    /// 0 to 65535; 0 lets the system choose a free port.
    package var port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// True if connections from this machine alone arrive: the host is `localhost` or an address of the loopback interface.
    package var isLoopback: Bool {
        guard let bytes = IPAddress(self.host)?.unmapped.bytes else { return self.host == "localhost" }
        return bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
    }

    /// The address as it is written in `gateway.yaml`, an IPv6 host in brackets.
    package var description: String {
        self.host.contains(":") ? "[\(self.host)]:\(self.port)" : "\(self.host):\(self.port)"
    }
}

/// An address to connect to: `host`, `host:port`, `[v6]` or `[v6]:port`; the port defaults to 8009, the Cast port.
package struct DialAddress: Sendable, Hashable, CustomStringConvertible {
    /// The port of a Cast device when the address names none (PROTOCOL notes 1).
    package static let castPort = 8009

    /// An IPv4 or IPv6 address (without brackets) or a host name.
    package var host: String
    /// 1 to 65535.
    package var port: Int

    package init(host: String, port: Int = DialAddress.castPort) {
        self.host = host
        self.port = port
    }

    /// The address with its port, an IPv6 host in brackets.
    package var description: String {
        self.host.contains(":") ? "[\(self.host)]:\(self.port)" : "\(self.host):\(self.port)"
    }
}

extension ListenAddress {
    /// Reads `host:port` or `[v6]:port`; nil for anything else, also when the port is missing.
    package init?(parsing text: String) {
        guard let parts = try? NetworkAddressText(text, example: "127.0.0.1:9095"), let port = parts.port else {
            return nil
        }
        self.init(host: parts.host, port: port)
    }
}

/// Takes `host:port`, `[v6]:port` and `host` apart.
struct NetworkAddressText {
    var host: String
    var port: Int?

    /// Reads an address.
    ///
    /// - Throws: What is wrong, without naming the key.
    init(_ text: String, example: String) throws(ConfigTextError) {
        let malformed = ConfigTextError(
            .malformedValue,
            "must be an address such as \(example), not '\(text.shown)'"
        )
        var rest = Substring(text)
        if rest.hasPrefix("[") {
            guard let end = rest.firstIndex(of: "]") else { throw malformed }
            self.host = String(rest[rest.index(after: rest.startIndex)..<end])
            guard IPAddress(self.host)?.bitWidth == 128 else { throw malformed }
            rest = rest[rest.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { throw malformed }
        } else {
            if IPAddress(text)?.bitWidth == 128 {
                throw ConfigTextError(
                    malformed.code, malformed.words, hint: "an IPv6 address needs brackets: [::1]:8009")
            }
            let end = rest.firstIndex(of: ":") ?? rest.endIndex
            self.host = String(rest[..<end])
            rest = rest[end...]
            if text.allSatisfy({ $0.isASCII && $0.isNumber }), !text.isEmpty {
                throw ConfigTextError(malformed.code, malformed.words, hint: "a host belongs before the port")
            }
            guard Self.isHost(self.host) else { throw malformed }
        }
        guard !rest.isEmpty else { return }
        let digits = rest.dropFirst()
        guard (1...5).contains(digits.count), digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { throw malformed }
        guard let port = Int(digits), port <= 65_535 else {
            throw ConfigTextError(.outOfRange, "has port \(digits), but ports end at 65535")
        }
        self.port = port
    }

    /// True if a text is an IPv4 address or a host name (RFC 1123 section 2.1, `_` allowed as name servers do).
    private static func isHost(_ text: String) -> Bool {
        if IPAddress(text) != nil { return true }
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        let isName = labels.allSatisfy { label in
            (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
                && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
        }
        // A name whose last part is a number is a mistyped address.
        let lastIsNumber = labels.last?.allSatisfy { $0.isNumber } ?? true
        return isName && !lastIsNumber && text.utf8.count <= 253
    }
}

extension ListenAddress {
    /// Reads an address to listen on.
    ///
    /// - Throws: What is wrong, without naming the key.
    init(configText text: String) throws(ConfigTextError) {
        let address = try NetworkAddressText(text, example: "0.0.0.0:8009")
        guard let port = address.port else {
            throw ConfigTextError(.malformedValue, "needs a port", hint: "write \(text.shown):8009")
        }
        self.init(host: address.host, port: port)
    }
}

extension DialAddress {
    /// Reads an address to connect to.
    ///
    /// - Throws: What is wrong, without naming the key.
    init(configText text: String, defaultPort: Int) throws(ConfigTextError) {
        let address = try NetworkAddressText(text, example: "192.0.2.40:\(defaultPort)")
        guard address.port != 0 else {
            throw ConfigTextError(.outOfRange, "has port 0, to which nothing can connect")
        }
        self.init(host: address.host, port: address.port ?? defaultPort)
    }
}
