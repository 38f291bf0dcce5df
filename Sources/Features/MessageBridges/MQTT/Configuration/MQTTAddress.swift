/// The address of a broker: `mqtt://host`, `mqtts://host:8883`.
struct MQTTAddress: Sendable, Hashable {
    /// A name, or an IP address without brackets.
    var host: String
    /// 1 to 65535.
    var port: Int
    /// True if TLS is spoken.
    var isEncrypted: Bool

    /// Reads an address.
    /// - Returns: nil for another scheme, for one without a host, and for one with a user, a path or a query.
    init?(_ text: String) {
        let schemes = [("mqtt://", false, 1883), ("mqtts://", true, 8883)]
        guard let (scheme, isEncrypted, port) = schemes.first(where: { text.hasPrefix($0.0) }) else { return nil }
        var rest = text.dropFirst(scheme.utf8.count)
        if rest.last == "/" { rest.removeLast() }
        // The host goes to a library of C, where a NUL would end it.
        guard rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"/?#@,".utf8.contains($0) }) else { return nil }
        var host = rest
        self.port = port
        if let colon = rest.lastIndex(of: ":"), rest.last != "]" {
            let digits = rest[rest.index(after: colon)...]
            guard let number = Int(digits), (1...65535).contains(number), String(number) == digits else { return nil }
            self.port = number
            host = rest[..<colon]
        }
        if host.first == "[" {
            guard host.last == "]", host.contains(":") else { return nil }
            host = host.dropFirst().dropLast()
        } else if host.contains(":") || host.contains("[") || host.contains("]") {
            return nil
        }
        guard !host.isEmpty, host.utf8.count <= 253 else { return nil }
        self.host = String(host)
        self.isEncrypted = isEncrypted
    }
}
