/// A JSON object whose fields are read by name and type.
///
/// The object itself is kept, so fields that Castway does not know survive being read, changed and written. The fields that
/// it knows stand in the nested ``Fields``; each can be read and written as an optional property of the same name. Nothing
/// is converted before it is read, and a field that is read twice is converted twice.
@dynamicMemberLookup
public protocol JSONPayload: Hashable, Sendable, FieldValue {
    /// The fields: a static ``Field`` each.
    associatedtype Fields = NoFields

    /// The whole object, known fields and unknown ones.
    var json: JSONObject { get set }

    /// Wraps an object; nothing is checked until a property is read.
    init(json: JSONObject)
}

/// The fields of a payload that has none with a name of its own.
public enum NoFields {}

extension JSONPayload {
    /// The value of a field; nil when it is absent, or counts as absent. Setting nil removes the field.
    @inlinable
    public subscript<Value: FieldValue>(field: Field<Value>) -> Value? {
        get { self.json[field.name].flatMap { Value(field: $0, isExact: field.isExact) } }
        set { self.json[field.name] = newValue?.fieldValue }
    }

    /// The value of a field by the name that it has in ``Fields``.
    ///
    /// The compiler resolves the key path of a property when it inlines this, so that reading costs what it would cost in a
    /// property written by hand.
    @inlinable
    public subscript<Value: FieldValue>(dynamicMember field: KeyPath<Fields.Type, Field<Value>>) -> Value? {
        get { self[Fields.self[keyPath: field]] }
        set { self[Fields.self[keyPath: field]] = newValue }
    }

    /// Reads an object, and nothing else.
    @inlinable
    public init?(field value: JSONValue, isExact: Bool) {
        guard case .object(let object) = value else { return nil }
        self.init(json: object)
    }

    /// The object.
    @inlinable
    public var fieldValue: JSONValue { .object(self.json) }
}

/// A payload that is a message of its own, with a type and mostly a request id (protocol notes, 5.1).
public protocol MessagePayload: JSONPayload {
    /// The message's type as it stands on the wire, or nil when absent.
    var type: String? { get }

    /// What ties a reply to its request; nil when absent. Setting nil removes it.
    var requestID: RequestID? { get set }
}

extension MessagePayload {
    /// Reads a payload, or gives nil when it is binary or no JSON object.
    public init?(_ payload: CastMessage.Payload) {
        guard let object = payload.jsonObject else { return nil }
        self.init(json: object)
    }

    /// The text under `type`.
    public var type: String? { self.json.string("type") }

    /// The number or text under `requestId`.
    public var requestID: RequestID? {
        get { self[Field<RequestID>("requestId")] }
        set { self[Field<RequestID>("requestId")] = newValue }
    }

    /// The message as the payload of a ``CastMessage``.
    public var payload: CastMessage.Payload { .json(self.json) }
}
