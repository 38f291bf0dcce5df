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

    /// Whether a text is an IPv4 address or a host name (RFC 1123 section 2.1, `_` allowed as name servers do).
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
            throw ConfigTextError(.outOfRange, "has port 0, to which nobody can connect")
        }
        self.init(host: address.host, port: address.port ?? defaultPort)
    }
}
