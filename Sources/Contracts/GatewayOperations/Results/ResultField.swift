package import CastWire

/// One member of a ``ResultRecord``: its name, its meaning, and where its value comes from.
package struct ResultField<Source, Value>: ResultPart {
    /// The name, kind and meaning, as documents have them.
    package let member: OperationResult.Member
    private let value: @Sendable (Source) -> JSONValue?
    fileprivate let read: @Sendable (JSONValue) -> Value?

    private init(
        _ member: OperationResult.Member, read: @escaping @Sendable (JSONValue) -> Value?,
        value: @escaping @Sendable (Source) -> JSONValue?
    ) {
        self.member = member
        self.value = value
        self.read = read
    }

    package var members: [OperationResult.Member] { [self.member] }

    /// Takes over a member of another record.
    /// - Parameter source: what it takes its value from there.
    package init<Other>(
        _ other: ResultField<Other, Value>, _ source: @escaping @Sendable (Source) -> Other
    ) {
        self.init(other.member, read: other.read) { other.value(source($0)) }
    }

    package func write(_ source: Source, _ json: inout JSONObject) {
        if let value = self.value(source) { json[self.member.name] = value }
    }
}

// MARK: Values that have one kind

extension ResultField where Value: MemberValue {
    /// Declares a member that is always there.
    /// - Parameters:
    ///   - meaning: one or two sentences without a full stop at the end.
    ///   - kind: what its value may be, when that is less than its type says.
    package init(
        _ name: String, _ meaning: String, as kind: OperationResult.Kind = Value.kind,
        _ value: @escaping @Sendable (Source) -> Value
    ) {
        self.init(.init(name, kind, meaning), read: Value.init(jsonValue:)) { value($0).jsonValue }
    }

    /// Declares a member that may be missing; the meaning says when.
    package static func optional(
        _ name: String, _ meaning: String, as kind: OperationResult.Kind = Value.kind,
        _ value: @escaping @Sendable (Source) -> Value?
    ) -> Self {
        Self(.optional(name, kind, meaning), read: Value.init(jsonValue:)) { value($0)?.jsonValue }
    }
}

// MARK: Words

extension ResultField where Value: RawRepresentable<String> & CaseIterable & SendableMetatype {
    /// Declares a member that is one of the raw values of an enumeration.
    package init(_ name: String, _ meaning: String, _ value: @escaping @Sendable (Source) -> Value) {
        self.init(.init(name, Self.kind, meaning), read: Self.word) { .string(value($0).rawValue) }
    }

    /// Declares a member that is one of the raw values of an enumeration, or missing; the meaning says when.
    package static func optional(
        _ name: String, _ meaning: String, _ value: @escaping @Sendable (Source) -> Value?
    ) -> Self {
        Self(.optional(name, Self.kind, meaning), read: Self.word) { value($0).map { .string($0.rawValue) } }
    }

    private static var kind: OperationResult.Kind { .word(Value.allCases.map(\.rawValue)) }

    private static var word: @Sendable (JSONValue) -> Value? { { $0.stringValue.flatMap(Value.init(rawValue:)) } }
}

// MARK: Objects

extension ResultField where Value == JSONObject {
    /// Declares a member that is an object of its own.
    package init<Inner: ResultRecord>(
        _ name: String, _ record: Inner.Type, _ meaning: String,
        _ source: @escaping @Sendable (Source) -> Inner.Source
    ) {
        self.init(name, meaning, as: .object(Inner.members)) { Inner.json(source($0)) }
    }

    /// Declares a member that is an object of its own, or missing; the meaning says when.
    package static func optional<Inner: ResultRecord>(
        _ name: String, _ record: Inner.Type, _ meaning: String,
        _ source: @escaping @Sendable (Source) -> Inner.Source?
    ) -> Self {
        .optional(name, meaning, as: .object(Inner.members)) { source($0).map(Inner.json) }
    }
}

extension ResultField where Value == [JSONObject] {
    /// Declares a member that is a list of objects.
    package init<Inner: ResultRecord>(
        _ name: String, listOf record: Inner.Type, _ meaning: String,
        _ sources: @escaping @Sendable (Source) -> [Inner.Source]
    ) {
        self.init(name, meaning, as: .list(.object(Inner.members))) { sources($0).map(Inner.json) }
    }

    /// Declares a member that is a list of objects, or missing; the meaning says when.
    package static func optional<Inner: ResultRecord>(
        _ name: String, listOf record: Inner.Type, _ meaning: String,
        _ sources: @escaping @Sendable (Source) -> [Inner.Source]?
    ) -> Self {
        .optional(name, meaning, as: .list(.object(Inner.members))) { sources($0)?.map(Inner.json) }
    }
}

// MARK: Reading

extension JSONObject {
    /// The value of a member of an answer; nil when it is missing or of another kind.
    package subscript<Source, Value>(at field: ResultField<Source, Value>) -> Value? {
        self[field.member.name].flatMap { field.read($0) }
    }
}
