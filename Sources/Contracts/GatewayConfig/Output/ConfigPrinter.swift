package import CastWire

/// Prints a checked configuration as YAML that reads back to the same values, secrets aside.
struct ConfigPrinter {
    private let showsOrigins: Bool
    private var text = ""

    private init(showsOrigins: Bool) {
        self.showsOrigins = showsOrigins
    }

    static func text(_ root: ConfigSection, origins: Bool) -> String {
        var printer = ConfigPrinter(showsOrigins: origins)
        printer.section(root, indentation: 0, isFirstInline: false)
        return printer.text
    }

    private mutating func section(_ section: ConfigSection, indentation: Int, isFirstInline: Bool) {
        var isInline = isFirstInline
        for entry in section.entries where entry.value.isValid {
            var key = entry.field.name
            if case .secretFile = entry.value.origin { key += "_file" }
            self.entry(key, entry.value, indentation: isInline ? nil : indentation, childIndentation: indentation + 1)
            isInline = false
        }
    }

    /// Prints `key: value`; without an indentation the line has already been begun.
    private mutating func entry(
        _ key: String,
        _ value: ConfigValue,
        indentation: Int?,
        childIndentation: Int
    ) {
        self.text += Self.spaces(indentation ?? 0) + "\(Self.scalar(key)):"
        self.value(value, childIndentation: childIndentation)
    }

    private mutating func value(_ value: ConfigValue, childIndentation: Int) {
        switch value.content {
        case .section(let section) where section.entries.contains { $0.value.isValid }:
            self.text += "\n"
            self.section(section, indentation: childIndentation, isFirstInline: false)
        case .map(let entries) where !entries.isEmpty:
            self.text += "\n"
            for entry in entries {
                self.entry(
                    entry.key,
                    entry.value,
                    indentation: childIndentation,
                    childIndentation: childIndentation + 1
                )
            }
        case .list(let elements) where elements.contains { $0.section != nil }:
            self.text += "\n"
            for element in elements {
                self.element(element, indentation: childIndentation)
            }
        default:
            self.text += " \(Self.inline(value))"
            if self.showsOrigins { self.text += "  # \(value.origin.summary.shown)" }
            self.text += "\n"
        }
    }

    private mutating func element(_ element: ConfigValue, indentation: Int) {
        self.text += Self.spaces(indentation) + "- "
        if let section = element.section, section.entries.contains(where: { $0.value.isValid }) {
            self.section(section, indentation: indentation + 1, isFirstInline: true)
        } else {
            self.text += "\(Self.inline(element))\n"
        }
    }

    private static func spaces(_ indentation: Int) -> String {
        String(repeating: "  ", count: indentation)
    }

    /// A value on one line.
    private static func inline(_ value: ConfigValue) -> String {
        switch value.content {
        case .string(let text): return self.scalar(Secret.hidingUsers(in: text))
        case .boolean(let value): return value ? "true" : "false"
        case .integer(let value): return String(value)
        case .number(let value): return value.configText
        case .duration(let value): return value.configText
        case .size(let value): return ByteSize.text(value)
        case .listenAddress(let address): return self.scalar(address.description)
        case .dialAddress(let address): return self.scalar(address.description)
        case .addressRange(let range): return self.scalar(range.description)
        case .secret:
            if case .secretFile(let path, _) = value.origin { return self.scalar(path) }
            return Secret.redacted
        case .json(let value): return value.hidingSecrets.text(indented: false).replacing("${", with: "$${")
        case .list(let elements): return "[\(elements.map { self.inline($0) }.joined(separator: ", "))]"
        case .section, .map: return "{}"
        case .invalid: return "null"
        }
    }

    /// A text, quoted unless it is beyond doubt a text without quotes.
    static func scalar(_ text: String) -> String {
        let isWord = text.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                || Array("_-./: ".utf8).contains($0)
        }
        let first = text.utf8.first ?? UInt8(ascii: " ")
        let beginsWell = !Array("-: ".utf8).contains(first) && text != "." && text != ".."
        let endsWell = !text.hasSuffix(" ") && !text.hasSuffix(":") && !text.contains(": ")
        let plain = ConfigNode(.scalar(ConfigScalar(text: text, style: .plain, isPlain: true)), at: .wholeFile(""))
        if isWord, beginsWell, endsWell, plain.json == .string(text) { return text }
        return JSONValue.string(text).text(indented: false).replacing("${", with: "$${")
    }
}

extension ConfigDocument {
    /// The configuration as it is in effect, defaults filled in and secrets redacted, as YAML.
    ///
    /// - Parameter origins: Whether every value has a comment that says where it came from.
    package func effectiveText(origins: Bool) -> String {
        ConfigPrinter.text(self.root, origins: origins)
    }
}

extension ConfigDocument {
    /// The configuration as it is in effect, defaults filled in and secrets redacted, as JSON.
    package var effectiveJSON: JSONValue { Self.json(self.root) }

    private static func json(_ section: ConfigSection) -> JSONValue {
        .object(
            JSONObject(section.entries.filter(\.value.isValid).map { ($0.field.name, self.json($0.value)) }))
    }

    private static func json(_ value: ConfigValue) -> JSONValue {
        switch value.content {
        case .string(let text): .string(Secret.hidingUsers(in: text))
        case .boolean(let value): .bool(value)
        case .integer(let value): .number(value)
        case .number(let value): .number(value)
        case .duration(let value): .string(value.configText)
        case .size(let value): .string(ByteSize.text(value))
        case .listenAddress(let address): .string(address.description)
        case .dialAddress(let address): .string(address.description)
        case .addressRange(let range): .string(range.description)
        case .secret: .string(Secret.redacted)
        case .json(let value): value.hidingSecrets
        case .list(let elements): .array(elements.map(self.json))
        case .section(let section): self.json(section)
        case .map(let entries): .object(JSONObject(entries.map { ($0.key, self.json($0.value)) }))
        case .invalid: .null
        }
    }
}
