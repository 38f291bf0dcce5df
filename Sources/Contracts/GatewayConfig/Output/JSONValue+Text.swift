package import CastWire

extension JSONValue {
    /// The value as JSON text that is YAML too: what YAML would take for a line break, or refuse, is escaped.
    /// - Parameter isIndented: whether it has lines of its own for members and elements, two spaces a level.
    package func text(indented isIndented: Bool) -> String {
        var text = ""
        self.write(to: &text, indentation: isIndented ? 0 : nil)
        return text
    }

    /// The value without what is taken for a secret by its name (``Secret/isNamed(_:)``), and without users and passwords of URLs.
    package var hidingSecrets: JSONValue {
        switch self {
        case .array(let elements): .array(elements.map(\.hidingSecrets))
        case .object(let object):
            .object(
                JSONObject(
                    object.members.map { name, value in
                        (name, Secret.isNamed(name) ? .string(Secret.redacted) : value.hidingSecrets)
                    }))
        case .string(let text): .string(Secret.hidingUsers(in: text))
        case .null, .bool, .number: self
        }
    }

    private func write(to text: inout String, indentation: Int?) {
        switch self {
        case .null, .bool, .number: text += self.text
        case .string(let value): Self.write(value, to: &text)
        case .array(let values):
            Self.write(values, open: "[", close: "]", to: &text, indentation: indentation) { value, text, inner in
                value.write(to: &text, indentation: inner)
            }
        case .object(let object):
            Self.write(object.members, open: "{", close: "}", to: &text, indentation: indentation) {
                member, text, inner in
                Self.write(member.name, to: &text)
                text += inner == nil ? ":" : ": "
                member.value.write(to: &text, indentation: inner)
            }
        }
    }

    private static func write<Element>(
        _ elements: [Element],
        open: String,
        close: String,
        to text: inout String,
        indentation: Int?,
        element write: (Element, inout String, Int?) -> Void
    ) {
        text += open
        let inner = indentation.map { $0 + 1 }
        for (index, element) in elements.enumerated() {
            if index > 0 { text += "," }
            if let inner { text += "\n" + String(repeating: "  ", count: inner) }
            write(element, &text, inner)
        }
        if let indentation, !elements.isEmpty { text += "\n" + String(repeating: "  ", count: indentation) }
        text += close
    }

    private static func write(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _
            where scalar.value < 0x20 || scalar.value == 0x7F || (0x80...0x9F).contains(scalar.value)
                || scalar.value == 0x2028 || scalar.value == 0x2029 || scalar.value == 0xFEFF:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
