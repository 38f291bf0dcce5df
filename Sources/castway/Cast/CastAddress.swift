import ArgumentParser

/// `HOST[:PORT]` on the command line; an IPv6 address with a port stands in brackets.
struct CastAddress: ExpressibleByArgument, Hashable, CustomStringConvertible {
    /// An address or a name.
    let host: String
    /// 1 to 65535; 8009 when none is given.
    let port: Int

    init?(argument: String) {
        var host = Substring(argument)
        var port: Substring?
        if argument.hasPrefix("[") {
            guard let end = argument.firstIndex(of: "]") else { return nil }
            host = argument[argument.index(after: argument.startIndex)..<end]
            let rest = argument[argument.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            port = rest.isEmpty ? nil : rest.dropFirst()
        } else if argument.count(where: { $0 == ":" }) == 1, let colon = argument.firstIndex(of: ":") {
            host = argument[..<colon]
            port = argument[argument.index(after: colon)...]
        }
        guard !host.isEmpty, !host.contains(where: { $0.isWhitespace || $0 == "/" }) else { return nil }
        self.host = String(host)
        guard let port else {
            self.port = 8009
            return
        }
        guard let number = Int(port), (1...65_535).contains(number) else { return nil }
        self.port = number
    }

    var description: String {
        self.host.contains(":") ? "[\(self.host)]:\(self.port)" : "\(self.host):\(self.port)"
    }
}
