extension OutboundURL {
    /// The URL that a reference in a document or in a redirect of this URL means (RFC 3986, section 5.2): a whole URL, one with another
    /// host (`//HOST/…`), a path from the root, or one beside this URL's. A fragment is left out, and what has to be encoded is. Segments `.` and `..` stay as they are
    /// written, since servers resolve them.
    /// - Returns: nil for what is no URL that the gateway asks.
    package func resolving(_ reference: String) -> OutboundURL? {
        let reference = Self.encoded(String(reference.prefix { $0 != "#" }))
        let scheme = self.isEncrypted ? "https" : "http"
        if reference.contains("://"), let whole = try? OutboundURL(reference) { return whole }
        if reference.hasPrefix("//") { return try? OutboundURL("\(scheme):\(reference)") }
        let place = self.text.dropFirst(self.text.prefix { $0 != ":" }.count + 3)
        let authority = place.prefix { !"/?".contains($0) }
        let path = place.dropFirst(authority.count).prefix { $0 != "?" }
        let text: String
        if reference.isEmpty {
            text = "\(authority)\(place.dropFirst(authority.count))"
        } else if reference.hasPrefix("/") {
            text = "\(authority)\(reference)"
        } else if reference.hasPrefix("?") {
            text = "\(authority)\(path)\(reference)"
        } else if let slash = path.lastIndex(of: "/") {
            text = "\(authority)\(path[...slash])\(reference)"
        } else {
            text = "\(authority)/\(reference)"
        }
        // A scheme that the gateway does not speak is no path beside this one.
        let first = reference.prefix { !"/?".contains($0) }
        guard !first.contains(":") else { return nil }
        return try? OutboundURL("\(scheme)://\(text)")
    }
}
