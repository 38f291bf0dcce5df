/// `${NAME}`, `${NAME:-default}` or `${NAME:?text}`.
struct EnvironmentReference {
    /// What holds when the variable is not set, or, with a colon, empty.
    enum Fallback {
        /// It is a problem.
        case none
        /// The value is this text.
        case text(String)
        /// It is a problem, explained by this text.
        case failure(String)
    }

    var name: String
    var fallback: Fallback

    /// Reads a reference with its `${` and `}`; nil when it is not one.
    init?(_ written: String) {
        guard written.hasPrefix("${"), written.hasSuffix("}") else { return nil }
        let body = written.dropFirst(2).dropLast()
        let isName = { (text: Substring) in
            text.utf8.first.map { !(0x30...0x39).contains($0) } == true
                && text.utf8.allSatisfy {
                    (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x5F
                }
        }
        let colon = body.firstIndex(of: ":") ?? body.endIndex
        guard isName(body[..<colon]) else { return nil }
        self.name = String(body[..<colon])
        let rest = body[colon...]
        if rest.isEmpty {
            self.fallback = .none
        } else if rest.hasPrefix(":-") {
            self.fallback = .text(String(rest.dropFirst(2)))
        } else if rest.hasPrefix(":?") {
            self.fallback = .failure(String(rest.dropFirst(2)))
        } else {
            return nil
        }
    }
}
