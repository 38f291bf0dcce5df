package import CastWire

/// One field of an event: its name, its value, and what it means.
package struct EventField: Sendable {
    private let name: String
    private let value: JSONValue?
    private let meaning: String
    private let kind: @Sendable () -> JSONKind
    private let isOptional: Bool
    /// The name on the plugin wire; nil when plugins do not get it.
    private var pluginName: String?
    /// Whether it is on the plugin wire alone.
    private var isForPluginsAlone = false

    private init(
        _ name: String, _ value: JSONValue?, _ meaning: String, isOptional: Bool,
        _ kind: @escaping @Sendable () -> JSONKind
    ) {
        self.name = name
        self.value = value
        self.meaning = meaning
        self.kind = kind
        self.isOptional = isOptional
        self.pluginName = name
    }

    /// Declares a field that is always there.
    /// - Parameters:
    ///   - meaning: one or two sentences without a full stop at the end.
    ///   - kind: what its value may be, when that is less than its type says.
    package init<Value: MemberValue>(
        _ name: String, _ value: Value, _ meaning: String,
        as kind: @escaping @autoclosure @Sendable () -> JSONKind = Value.kind
    ) {
        self.init(name, value.jsonValue, meaning, isOptional: false, kind)
    }

    /// Declares a field that may be missing; the meaning says when.
    package static func optional<Value: MemberValue>(
        _ name: String, _ value: Value?, _ meaning: String,
        as kind: @escaping @autoclosure @Sendable () -> JSONKind = Value.kind
    ) -> EventField {
        EventField(name, value?.jsonValue, meaning, isOptional: true, kind)
    }

    /// Declares a field that is one of the raw values of an enumeration.
    package init<Word: RawRepresentable<String> & CaseIterable & SendableMetatype>(
        _ name: String, _ value: Word, _ meaning: String
    ) {
        self.init(name, .string(value.rawValue), meaning, isOptional: false) { .word(Word.allCases.map(\.rawValue)) }
    }

    /// Declares a field that is one of the raw values of an enumeration, or missing; the meaning says when.
    package static func optional<Word: RawRepresentable<String> & CaseIterable & SendableMetatype>(
        _ name: String, _ value: Word?, _ meaning: String
    ) -> EventField {
        EventField(name, value.map { .string($0.rawValue) }, meaning, isOptional: true) {
            .word(Word.allCases.map(\.rawValue))
        }
    }

    /// Declares a value that is on the plugin wire alone.
    static func plugin(_ name: String, _ value: JSONValue) -> EventField {
        var field = EventField(name, value, "")
        field.isForPluginsAlone = true
        return field
    }

    /// The same under another name on the plugin wire; nil keeps it from plugins.
    func forPlugins(as name: String?) -> EventField {
        var field = self
        field.pluginName = name
        return field
    }

    /// The same as a field that may be missing.
    func optional(isThere: Bool) -> EventField {
        var field = EventField(self.name, isThere ? self.value : nil, self.meaning, isOptional: true, self.kind)
        field.pluginName = self.pluginName
        return field
    }

    fileprivate var member: JSONMember? {
        self.isForPluginsAlone ? nil : JSONMember(self.name, self.kind(), self.meaning, isOptional: self.isOptional)
    }

    fileprivate var written: (String, JSONValue)? {
        self.isForPluginsAlone ? nil : self.value.map { (self.name, $0) }
    }

    fileprivate var writtenForPlugins: (String, JSONValue)? {
        guard let pluginName, let value else { return nil }
        return (pluginName, value)
    }
}

extension [EventField] {
    /// The fields as documents have them.
    package var members: [JSONMember] { self.compactMap(\.member) }

    /// The fields that have a value.
    package var json: JSONObject { JSONObject(self.compactMap(\.written)) }

    var pluginMembers: [(String, JSONValue)] { self.compactMap(\.writtenForPlugins) }
}

/// The body of a declaration: what has happened, in one line without a full stop, and the fields, or lists of fields, in their order.
package struct EventBody: Sendable {
    package let summary: String
    package private(set) var fields: [EventField] = []

    /// The same with fields before its own.
    func after(_ fields: [EventField]) -> EventBody { EventBody(summary: self.summary, fields: fields + self.fields) }

    @resultBuilder
    package enum Builder {
        package static func buildPartialBlock(first body: EventBody) -> EventBody { body }
        package static func buildPartialBlock(first summary: String) -> EventBody { EventBody(summary: summary) }
        package static func buildPartialBlock(accumulated: consuming EventBody, next: EventField) -> EventBody {
            accumulated.fields.append(next)
            return accumulated
        }
        package static func buildPartialBlock(accumulated: consuming EventBody, next: [EventField]) -> EventBody {
            accumulated.fields += next
            return accumulated
        }
    }
}
