import SystemPrimitives

/// What a browser sends for the form of the join page: `application/x-www-form-urlencoded` (URL standard, 5.1) with one field.
///
/// ```
/// code=4827+1935
/// ```
package struct JoinForm: Sendable, Hashable {
    /// The most bytes of a form: the page's own has some thirty.
    package static let maximumBytes = 512
    package static let field = "code"
    /// The most characters of the field.
    package static let maximumLength = 64

    /// What the guest typed, or what the link ended in: at most ``maximumLength`` characters, none of them a control character.
    package let code: String

    /// Reads a body; nil for one that is no such form, has the field twice, or has other fields.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count <= Self.maximumBytes else { return nil }
        var code: String?
        for pair in bytes.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, code == nil, let name = Self.text(parts[0]), name == Self.field,
                let value = Self.text(parts[1])
            else { return nil }
            code = value
        }
        guard let code, code.count <= Self.maximumLength,
            code.unicodeScalars.allSatisfy({ $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
        else { return nil }
        self.code = code
    }

    private static func text(_ bytes: some Sequence<UInt8>) -> String? {
        let blanks = bytes.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        return String(validating: blanks, as: UTF8.self)?.percentDecoded
    }
}
