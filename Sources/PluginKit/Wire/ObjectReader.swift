package import CastWire

/// Reads members of an object and says where one is at fault. A member that is `null` counts as absent.
package struct ObjectReader {
    package let object: JSONObject
    private let path: String

    package init(_ object: JSONObject, at path: String = "") {
        self.object = object
        self.path = path
    }

    package func fault(_ name: String, _ expected: String) -> PluginWireError {
        PluginWireError(self.path.isEmpty ? name : "\(self.path).\(name)", expected)
    }

    package func string(_ name: String) throws(PluginWireError) -> String {
        guard let value = try self.optionalString(name) else { throw self.fault(name, "a string is missing") }
        return value
    }

    package func optionalString(_ name: String) throws(PluginWireError) -> String? {
        try self.optional(name, "should be a string") { $0.stringValue }
    }

    package func int(_ name: String) throws(PluginWireError) -> Int {
        guard let value = try self.optionalInt(name) else { throw self.fault(name, "a whole number is missing") }
        return value
    }

    package func optionalInt(_ name: String) throws(PluginWireError) -> Int? {
        try self.optional(name, "should be a whole number") { $0.intValue }
    }

    package func optionalBool(_ name: String) throws(PluginWireError) -> Bool? {
        try self.optional(name, "should be true or false") { $0.boolValue }
    }

    /// A time in milliseconds, at least 0.
    package func optionalMilliseconds(_ name: String) throws(PluginWireError) -> Duration? {
        guard let value = try self.optionalInt(name) else { return nil }
        guard let duration = Duration(wireMilliseconds: value) else {
            throw self.fault(name, "should be milliseconds, from 0 to \(Duration.maximumWireMilliseconds)")
        }
        return duration
    }

    package func milliseconds(_ name: String) throws(PluginWireError) -> Duration {
        guard let value = try self.optionalMilliseconds(name) else {
            throw self.fault(name, "milliseconds are missing")
        }
        return value
    }

    /// One of the words of a type.
    package func optionalWord<Word: RawRepresentable<String> & CaseIterable>(
        _ name: String, _: Word.Type = Word.self
    ) throws(PluginWireError) -> Word? {
        guard let text = try self.optionalString(name) else { return nil }
        guard let word = Word(rawValue: text) else {
            let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw self.fault(name, "'\(text)' is none of \(words)")
        }
        return word
    }

    package func word<Word: RawRepresentable<String> & CaseIterable>(
        _ name: String, _: Word.Type = Word.self
    ) throws(PluginWireError) -> Word {
        guard let word: Word = try self.optionalWord(name) else { throw self.fault(name, "a word is missing") }
        return word
    }

    package func optionalWords<Word: RawRepresentable<String> & CaseIterable>(
        _ name: String, _: Word.Type = Word.self
    ) throws(PluginWireError) -> [Word]? {
        guard let texts = try self.optionalStrings(name) else { return nil }
        var words: [Word] = []
        for text in texts {
            guard let word = Word(rawValue: text) else {
                let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
                throw self.fault(name, "'\(text)' is none of \(known)")
            }
            words.append(word)
        }
        return words
    }

    package func optionalStrings(_ name: String) throws(PluginWireError) -> [String]? {
        try self.optional(name, "should be a list of strings") { value in
            guard let elements = value.arrayValue else { return nil }
            let texts = elements.compactMap(\.stringValue)
            return texts.count == elements.count ? texts : nil
        }
    }

    package func optionalObject(_ name: String) throws(PluginWireError) -> JSONObject? {
        try self.optional(name, "should be an object") { $0.objectValue }
    }

    package func reader(_ name: String) throws(PluginWireError) -> ObjectReader {
        guard let reader = try self.optionalReader(name) else { throw self.fault(name, "an object is missing") }
        return reader
    }

    package func optionalReader(_ name: String) throws(PluginWireError) -> ObjectReader? {
        guard let object = try self.optionalObject(name) else { return nil }
        return ObjectReader(object, at: self.fault(name, "").path)
    }

    /// A list of objects; absent is empty.
    package func list<Element: WireObject>(_ name: String, of _: Element.Type = Element.self) throws(PluginWireError)
        -> [Element]
    {
        let values = try self.optional(name, "should be a list") { $0.arrayValue } ?? []
        var elements: [Element] = []
        elements.reserveCapacity(values.count)
        for (index, value) in values.enumerated() {
            let place = "\(name)[\(index)]"
            guard let object = value.objectValue else { throw self.fault(place, "should be an object") }
            elements.append(try Element(ObjectReader(object, at: self.fault(place, "").path)))
        }
        return elements
    }

    private func optional<Value>(
        _ name: String, _ expected: String, _ convert: (JSONValue) -> Value?
    ) throws(PluginWireError) -> Value? {
        guard let value = self.object[name], value != .null else { return nil }
        guard let converted = convert(value) else { throw self.fault(name, expected) }
        return converted
    }
}

/// A type that is an object in a line.
package protocol WireObject: Sendable {
    /// Takes the members that it knows; others are ignored.
    /// - Throws: ``PluginWireError`` that names the member at fault.
    init(_ reader: ObjectReader) throws(PluginWireError)

    /// The object.
    var json: JSONObject { get }
}

/// Why a value of a line is not what its place takes.
public struct PluginWireError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Where, such as `params.limits.maxLine`.
    public let path: String
    /// What is expected there.
    public let expected: String

    init(_ path: String, _ expected: String) {
        self.path = path
        self.expected = expected
    }

    /// One line for a log or an answer.
    public var description: String { "\(self.path): \(self.expected)" }
}

extension Duration {
    /// No time on the wire is longer: 30 days.
    static let maximumWireMilliseconds = 2_592_000_000

    /// A time from the wire; nil when negative or beyond reason.
    init?(wireMilliseconds value: Int) {
        guard (0...Self.maximumWireMilliseconds).contains(value) else { return nil }
        self = .milliseconds(value)
    }

    /// The time in whole milliseconds, rounded up, so that what is left of a time is not nothing; at least 0.
    var wireMilliseconds: Int {
        let (seconds, attoseconds) = self.components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard seconds < Int64(Self.maximumWireMilliseconds / 1_000) else { return Self.maximumWireMilliseconds }
        return Int(seconds) * 1_000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
