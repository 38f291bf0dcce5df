extension ConfigValidator {
    mutating func scalar(
        _ node: ConfigNode,
        _ scalar: ConfigScalar,
        _ schema: ConfigSchema,
        path: String
    ) -> ConfigValue {
        if schema.isSecret, !self.isReadingDefaults {
            self.secrets.append(node.location)
            // What `for_each` filled in stands at the item too.
            if let item = node.location.item { self.secrets.append(item.location(in: node.location.file)) }
        }
        do throws(ConfigTextError) {
            let content = self.located(try self.content(scalar, schema), schema, at: node.location)
            return ConfigValue(content, origin: self.origin(node), location: node.location)
        } catch {
            let name = path.hasPrefix("a key of ") ? path : "'\(path)'"
            let hint = self.commentHint(scalar, schema) ?? error.hint
            self.problems.add(error.code, at: node.location, "\(name) \(error.words)", hint: hint)
            return self.invalid(node)
        }
    }

    /// The value with its path, if it is one, led to where the file that holds it means it.
    private func located(
        _ content: ConfigValue.Content, _ schema: ConfigSchema, at location: ConfigLocation
    ) -> ConfigValue.Content {
        guard case .string(let text) = content else { return content }
        switch schema.kind {
        case .path:
            return .string(self.resolved(text, at: location))
        case .text(let rule):
            guard let prefix = rule.pathPrefix, text.hasPrefix(prefix), text != prefix else { return content }
            return .string(prefix + self.resolved(String(text.dropFirst(prefix.count)), at: location))
        default:
            return content
        }
    }

    /// The number of characters a text has: bytes in a file, and code points in JSON, whose schemas count so.
    private func length(of text: String) -> Int { self.readsJSON ? text.unicodeScalars.count : text.utf8.count }

    func content(
        _ scalar: ConfigScalar,
        _ schema: ConfigSchema
    ) throws(ConfigTextError) -> ConfigValue.Content {
        let text = scalar.text
        switch schema.kind {
        case .boolean:
            return .boolean(try Self.boolean(scalar))
        case .integer(let range):
            return .integer(try Self.integer(scalar, schema, range))
        case .formatVersion(let version):
            return .integer(try Self.version(scalar, schema, current: version))
        case .number(let range):
            return .number(try Self.number(scalar, schema, range))
        case .duration(let range):
            let duration = try Duration(configText: text)
            guard range.contains(duration) else {
                let bounds = "\(range.lowerBound.configText) to \(range.upperBound.configText)"
                throw ConfigTextError(.outOfRange, "must be \(bounds), not \(text.shown)")
            }
            return .duration(duration)
        case .size(let range):
            let bytes = try ByteSize.bytes(text)
            guard range.contains(bytes) else {
                let bounds = "\(ByteSize.text(range.lowerBound)) to \(ByteSize.text(range.upperBound))"
                throw ConfigTextError(.outOfRange, "must be \(bounds), not \(text.shown)")
            }
            return .size(bytes)
        case .listenAddress:
            return .listenAddress(try ListenAddress(configText: text))
        case .dialAddress(let port):
            return .dialAddress(try DialAddress(configText: text, defaultPort: port))
        case .addressRange:
            return .addressRange(try Self.addressRange(text))
        case .secret:
            return .secret(Secret(text))
        case .text(let rule) where rule.isSecret:
            try self.check(text, rule)
            return .secret(Secret(text))
        default:
            return .string(try self.string(text, schema))
        }
    }

    private func string(_ text: String, _ schema: ConfigSchema) throws(ConfigTextError) -> String {
        switch schema.kind {
        case .text(let rule):
            try self.check(text, rule)
        case .word(let words):
            guard words.contains(text) else {
                let suggestion =
                    EditDistance.suggestion(for: text, among: words)
                    ?? Self.synonyms[text.lowercased()].flatMap { words.contains($0) ? $0 : nil }
                throw ConfigTextError(
                    .notAllowed,
                    "must be \(schema.expectation), not '\(text.shown)'",
                    hint: suggestion.map { "did you mean '\($0)'?" }
                )
            }
        case .namespace:
            try CastText.checkNamespace(text)
        case .namespacePattern:
            try CastText.checkNamespacePattern(text)
        case .appID:
            try CastText.checkAppID(text)
        case .appIDPattern:
            try CastText.checkAppIDPattern(text)
        case .uuid:
            return try CastText.uuid(text)
        default:
            // Globs and paths: anything that a file name may hold.
            try self.check(text, ConfigTextRule(allowed: nil, length: 1...4096))
        }
        return text
    }

    private func check(_ text: String, _ rule: ConfigTextRule) throws(ConfigTextError) {
        let length = self.length(of: text)
        guard rule.length.contains(length) else {
            throw ConfigTextError(.outOfRange, "must have \(rule.summary(inJSON: self.readsJSON)), not \(length)")
        }
        guard rule.allowsCharacters(of: text) else {
            let reason = rule.allowed == nil ? "must not contain control characters" : "must have \(rule.summary())"
            throw ConfigTextError(.malformedValue, reason)
        }
    }

    private static func boolean(_ scalar: ConfigScalar) throws(ConfigTextError) -> Bool {
        if scalar.isPlain, scalar.text == "true" { return true }
        if scalar.isPlain, scalar.text == "false" { return false }
        let meanings = ["true": true, "yes": true, "on": true, "y": true]
            .merging(["false": false, "no": false, "off": false, "n": false]) { first, _ in first }
        guard let meaning = meanings[scalar.text.lowercased()] else {
            throw ConfigTextError(.wrongType, "must be true or false, not '\(scalar.text.shown)'")
        }
        let written = scalar.style == .plain ? scalar.text.shown : "'\(scalar.text.shown)' in quotes"
        throw ConfigTextError(.booleanWord, "must be true or false, not \(written)", hint: "write \(meaning)")
    }

    private static func integer(
        _ scalar: ConfigScalar,
        _ schema: ConfigSchema,
        _ range: ClosedRange<Int>
    ) throws(ConfigTextError) -> Int {
        try self.requireNumber(scalar, schema)
        guard let value = CoreSchemaNumber.integer(scalar.text) else {
            let digits = scalar.text.hasPrefix("-") ? scalar.text.dropFirst() : Substring(scalar.text)
            if !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }) {
                throw ConfigTextError(.outOfRange, "must be \(range.lowerBound) to \(range.upperBound)")
            }
            throw ConfigTextError(.wrongType, "must be \(schema.expectation), not '\(scalar.text.shown)'")
        }
        guard range.contains(value) else {
            throw ConfigTextError(.outOfRange, "must be \(range.lowerBound) to \(range.upperBound), not \(value)")
        }
        return value
    }

    private static func number(
        _ scalar: ConfigScalar,
        _ schema: ConfigSchema,
        _ range: ClosedRange<Double>
    ) throws(ConfigTextError) -> Double {
        try self.requireNumber(scalar, schema)
        guard let value = CoreSchemaNumber.number(scalar.text) else {
            throw ConfigTextError(
                .wrongType, "must be \(schema.expectation), not '\(scalar.text.shown)'",
                hint: Self.numberMeant(by: scalar.text, range).map { "write \($0.configText)" })
        }
        guard range.contains(value) else {
            let bounds = "\(range.lowerBound.configText) to \(range.upperBound.configText)"
            throw ConfigTextError(.outOfRange, "must be \(bounds), not \(scalar.text.shown)")
        }
        return value
    }

    /// Refuses numbers in quotes and numbers with leading zeros.
    private static func requireNumber(_ scalar: ConfigScalar, _ schema: ConfigSchema) throws(ConfigTextError) {
        if CoreSchemaNumber.hasLeadingZero(scalar.text) {
            throw ConfigTextError(
                .leadingZero,
                "must not start with 0",
                hint: "write \(Self.withoutZeros(scalar.text).shown)"
            )
        }
        guard scalar.isPlain else {
            let isQuoted = scalar.style != .plain && CoreSchemaNumber.number(scalar.text) != nil
            throw ConfigTextError(
                .wrongType,
                "must be \(schema.expectation), not the text '\(scalar.text.shown)'",
                hint: isQuoted ? "write it without quotes" : nil
            )
        }
    }

    private static func withoutZeros(_ text: String) -> String {
        let sign = text.hasPrefix("-") ? "-" : ""
        let digits = text.dropFirst(sign.count).drop { $0 == "0" }
        return digits.isEmpty ? "0" : sign + digits
    }

    private static func version(
        _ scalar: ConfigScalar,
        _ schema: ConfigSchema,
        current: Int
    ) throws(ConfigTextError) -> Int {
        let value = try self.integer(scalar, schema, 0...Int.max)
        guard value <= current else {
            throw ConfigTextError(
                .newerVersion,
                "\(value) is written for a newer Castway; this one reads version \(current)"
            )
        }
        guard value == current else { throw ConfigTextError(.outOfRange, "must be \(current), not \(value)") }
        return value
    }

    private static func addressRange(_ text: String) throws(ConfigTextError) -> AddressRange {
        if let range = AddressRange(text) { return range }
        let parts = text.split(separator: "/", maxSplits: 1)
        var hint: String?
        if parts.count == 2, let address = IPAddress(String(parts[0])), let bits = Int(parts[1]),
            (0...address.bitWidth).contains(bits)
        {
            hint = "write \(address.masked(to: bits))/\(bits), or \(address) for one address"
        }
        throw ConfigTextError(
            .malformedValue,
            "must be a range of addresses such as 10.20.0.0/16, not '\(text.shown)'",
            hint: hint
        )
    }
}

/// Numbers as the core schema of YAML 1.2 (section 10.3.2) writes them, without what only older YAML knows.
enum CoreSchemaNumber {
    /// A whole number: decimal without leading zeros, `0x…` or `0o…`; nil for anything else and for what does not fit.
    static func integer(_ text: String) -> Int? {
        if text.hasPrefix("0x") { return self.digits(text.dropFirst(2), radix: 16) }
        if text.hasPrefix("0o") { return self.digits(text.dropFirst(2), radix: 8) }
        let digits = text.hasPrefix("-") ? text.dropFirst() : Substring(text)
        guard self.isDecimal(digits), digits == "0" || !digits.hasPrefix("0") else { return nil }
        return Int(text)
    }

    /// A finite number, with or without fraction and exponent; nil for anything else.
    static func number(_ text: String) -> Double? {
        if let integer = self.integer(text) { return Double(integer) }
        var rest = text.hasPrefix("-") ? text.dropFirst() : Substring(text)
        if let exponent = rest.firstIndex(where: { $0 == "e" || $0 == "E" }) {
            let digits = rest[exponent...].dropFirst()
            let signless = digits.hasPrefix("-") || digits.hasPrefix("+") ? digits.dropFirst() : digits
            guard self.isDecimal(signless) else { return nil }
            rest = rest[..<exponent]
        }
        let parts = rest.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.allSatisfy({ self.isDecimal($0) }), parts[0] == "0" || !parts[0].hasPrefix("0") else { return nil }
        return Double(text).flatMap { $0.isFinite ? $0 : nil }
    }

    /// True if a text is a decimal number but for zeros at its start.
    static func hasLeadingZero(_ text: String) -> Bool {
        let digits = text.hasPrefix("-") ? text.dropFirst() : Substring(text)
        return self.isDecimal(digits) && digits.count > 1 && digits.hasPrefix("0")
    }

    private static func isDecimal(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    private static func digits(_ text: Substring, radix: Int) -> Int? {
        text.allSatisfy { $0.isASCII && $0.isHexDigit } ? Int(text, radix: radix) : nil
    }
}
