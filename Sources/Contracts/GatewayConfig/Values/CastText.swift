import CastWire

/// Checks of texts whose form the Cast protocol or a standard gives. Each throws what is wrong, without naming the key.
enum CastText {
    static func checkNamespace(_ text: String) throws(ConfigTextError) {
        guard !text.contains("*") else {
            throw ConfigTextError(.malformedValue, "must be one namespace, not the pattern '\(text.shown)'")
        }
        try self.checkForm(of: text, name: text)
    }

    /// Checks one namespace, or a prefix that ends in `.*`.
    static func checkNamespacePattern(_ text: String) throws(ConfigTextError) {
        let name = text.hasSuffix(".*") ? String(text.dropLast(2)) : text
        guard !name.contains("*") else {
            throw ConfigTextError(
                .malformedValue,
                "has a '*' at the wrong place in '\(text.shown)'",
                hint: "only '.*' at the very end"
            )
        }
        try self.checkForm(of: text, name: name)
    }

    private static func checkForm(of text: String, name: String) throws(ConfigTextError) {
        guard text.utf8.count <= Namespace.maximumLength else {
            throw ConfigTextError(.outOfRange, "has more than \(Namespace.maximumLength) bytes")
        }
        guard Namespace(rawValue: name).isValid else {
            throw ConfigTextError(
                .malformedValue,
                "must be a namespace such as urn:x-cast:com.example.quiz, not '\(text.shown)'",
                hint: name.hasPrefix(Namespace.prefix) ? nil : "it starts with urn:x-cast:"
            )
        }
    }

    /// Checks an app id: 8 upper-case hexadecimal digits for registered apps, a name for those of the platform.
    static func checkAppID(_ text: String) throws(ConfigTextError) {
        try self.checkAppIDCharacters(of: text, wildcards: [])
        let isRegistered = text.utf8.count == 8 && text.allSatisfy(\.isHexDigit)
        if isRegistered, text != text.uppercased() {
            throw ConfigTextError(
                .malformedValue,
                "must be an app id in capitals, not '\(text.shown)'",
                hint: "write \(text.uppercased())"
            )
        }
    }

    /// Checks an app id that may have the wildcards `*` and `?`.
    static func checkAppIDPattern(_ text: String) throws(ConfigTextError) {
        guard text.contains("*") || text.contains("?") else { return try self.checkAppID(text) }
        // Part of an id has no form of its own but its characters.
        try self.checkAppIDCharacters(of: text, wildcards: [0x2A, 0x3F])
    }

    private static func checkAppIDCharacters(of text: String, wildcards: [UInt8]) throws(ConfigTextError) {
        let isName = text.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                || [0x2D, 0x2E, 0x5F].contains($0) || wildcards.contains($0)
        }
        guard isName, (1...64).contains(text.utf8.count) else {
            throw ConfigTextError(.malformedValue, "must be an app id such as CC1AD845, not '\(text.shown)'")
        }
    }

    /// Checks a UUID (RFC 9562 section 4) and returns it in lower case.
    static func uuid(_ text: String) throws(ConfigTextError) -> String {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        let isUUID =
            groups.map(\.utf8.count) == [8, 4, 4, 4, 12]
            && groups.allSatisfy { $0.allSatisfy { $0.isASCII && $0.isHexDigit } }
        guard isUUID else { throw ConfigTextError(.malformedValue, "must be a UUID, not '\(text.shown)'") }
        return text.lowercased()
    }
}
