import NIOHTTP1

extension HTTPRequestHead {
    /// True if it names one host and one site at most (RFC 9112, 3.2). Of two, one would be judged, and the other believed.
    var isUnambiguous: Bool { self.headers["host"].count <= 1 && self.headers["origin"].count <= 1 }

    /// True if its body comes when it is asked for (RFC 9110, 10.1.1).
    var waitsForContinue: Bool {
        self.version == .http1_1 && self.headers[canonicalForm: "expect"].contains { $0.lowercased() == "100-continue" }
    }

    /// Turns a target in absolute form into the path that it has; what it says of the host takes the place of `Host` (RFC 9112, 3.2.2).
    mutating func takeAuthority() {
        guard !self.uri.hasPrefix("/"), let colon = self.uri.firstRange(of: "://"),
            ["http", "https"].contains(self.uri[..<colon.lowerBound].lowercased())
        else { return }
        let rest = self.uri[colon.upperBound...]
        let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        self.headers.replaceOrAdd(name: "host", value: String(rest[..<end]))
        self.uri = rest[end...].hasPrefix("/") ? String(rest[end...]) : "/" + rest[end...]
    }
}
