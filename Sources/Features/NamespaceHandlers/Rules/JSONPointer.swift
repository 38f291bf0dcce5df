import CastWire

/// A place in a JSON object (RFC 6901), such as `/media/customData/room`.
struct JSONPointer: Hashable, Sendable {
    /// The pointer as it was written.
    let text: String
    /// The names and indices on the way, from the outside; never empty.
    let names: [String]

    /// Reads a pointer; nil unless it begins with `/`, and when a `~` is not that of `~0` or `~1`.
    init?(_ text: String) {
        guard text.hasPrefix("/") else { return nil }
        var names: [String] = []
        for part in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            let pieces = part.split(separator: "~", omittingEmptySubsequences: false)
            var name = String(pieces[0])
            for piece in pieces.dropFirst() {
                switch piece.first {
                case "0": name += "~" + piece.dropFirst()
                case "1": name += "/" + piece.dropFirst()
                default: return nil
                }
            }
            names.append(name)
        }
        self.text = text
        self.names = names
    }
}

extension JSONObject {
    /// The member that every reader finds under a name; nil when there is none.
    /// - Throws: ``UnclearValue`` when readers may find another one.
    func soleMember(_ name: String) throws(UnclearValue) -> JSONValue? {
        var found: JSONValue?
        for member in self.members where Self.visible(member.name) == name {
            guard member.name == name else { throw UnclearValue(reason: "a name ends in NUL behind '\(name)'") }
            guard found == nil else { throw UnclearValue(reason: "'\(name)' stands twice") }
            found = member.value
        }
        return found
    }

    /// A name up to the character that ends a text in C.
    private static func visible(_ name: String) -> String {
        guard name.utf8.contains(0) else { return name }
        return String(String.UnicodeScalarView(name.unicodeScalars.prefix { $0 != "\0" }))
    }
}

/// A value that a rule needs is there, but cannot be told for sure.
struct UnclearValue: Error {
    /// The reason, for the log and the sender.
    let reason: String
}
