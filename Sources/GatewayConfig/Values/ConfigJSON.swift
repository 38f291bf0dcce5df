/// A JSON value whose objects keep the order of their members.
public indirect enum ConfigJSON: Sendable, Equatable {
    /// One member of an object.
    public struct Member: Sendable, Equatable {
        /// The name.
        public var name: String
        /// The value.
        public var value: ConfigJSON

        /// Makes a member.
        public init(_ name: String, _ value: ConfigJSON) {
            self.name = name
            self.value = value
        }
    }

    /// `null`.
    case null
    /// `true` or `false`.
    case boolean(Bool)
    /// A whole number.
    case integer(Int)
    /// Any other finite number.
    case number(Double)
    /// A text.
    case string(String)
    /// A list.
    case array([ConfigJSON])
    /// An object; names are unique.
    case object([Member])

    /// The value as JSON text, in one line or with two spaces per level. Numbers that JSON cannot express become `null`.
    public func text(indented: Bool = false) -> String {
        var text = ""
        self.write(to: &text, indentation: indented ? 0 : nil)
        return text
    }

    private func write(to text: inout String, indentation: Int?) {
        switch self {
        case .null: text += "null"
        case .boolean(let value): text += value ? "true" : "false"
        case .integer(let value): text += String(value)
        case .number(let value): text += value.isFinite ? "\(value)" : "null"
        case .string(let value): Self.write(value, to: &text)
        case .array(let values):
            Self.write(values, open: "[", close: "]", to: &text, indentation: indentation) { value, text, inner in
                value.write(to: &text, indentation: inner)
            }
        case .object(let members):
            Self.write(members, open: "{", close: "}", to: &text, indentation: indentation) { member, text, inner in
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
