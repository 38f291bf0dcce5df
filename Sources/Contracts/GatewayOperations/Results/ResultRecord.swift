package import CastWire

/// A JSON object that the gateway answers with, each of whose members is declared once.
///
/// The one declaration is a stored property: it names the member, says what it means, and takes its value from what is answered
/// (``Source``). Everything else follows from it: the JSON object, its description in documents and references, the check of answers
/// in tests, and the reader that the command line uses. ``ResultLayout`` finds the properties, in their order.
///
/// ```swift
/// struct TokenResult: ResultRecord {
///     typealias Source = ListedToken
///
///     let id = Field("id", "The id of the token") { $0.token.id }
///     let scopes = Field("scopes", "The rights of its holder") { $0.token.scopes }
///     let expires = Field.optional("expires", "The time of its end, in UTC") { $0.token.expires?.description }
///
///     static let layout = ResultLayout(TokenResult())
/// }
///
/// let json = TokenResult.json(listed)
/// let id = json[at: TokenResult.fields.id]
/// ```
package protocol ResultRecord: Sendable {
    /// The value that the members are read from.
    associatedtype Source

    /// The members, in their order.
    static var layout: ResultLayout<Self> { get }
}

extension ResultRecord {
    /// One of the record's members.
    package typealias Field<Value> = ResultField<Source, Value>
    /// The members of another record, which are members of this one too.
    package typealias Embedded = EmbeddedFields<Source>

    /// Each member as a property.
    package static var fields: Self { Self.layout.record }

    /// The members as documents have them.
    package static var members: [OperationResult.Member] { Self.layout.parts.flatMap(\.members) }

    /// The answer of an operation, with these members.
    package static func result(_ summary: String, status: Int = 200) -> OperationResult {
        OperationResult(summary, status: status, Self.members)
    }

    /// The JSON object; members without a value are left out.
    package static func json(_ source: Source) -> JSONObject {
        var json = JSONObject()
        for part in Self.layout.parts { part.write(source, &json) }
        return json
    }
}

/// The members of a ``ResultRecord``, found once.
package struct ResultLayout<Record: ResultRecord>: Sendable {
    fileprivate let record: Record
    fileprivate let parts: [any ResultPart<Record.Source>]

    /// Finds the stored properties that are members.
    package init(_ record: Record) {
        self.record = record
        self.parts = Mirror(reflecting: record).children.compactMap { $0.value as? any ResultPart<Record.Source> }
    }
}

/// A stored property of a ``ResultRecord``: a member, or the members of another record.
package protocol ResultPart<Source>: Sendable {
    associatedtype Source

    /// The members as documents have them.
    var members: [OperationResult.Member] { get }

    /// Adds the members to an object.
    func write(_ source: Source, _ json: inout JSONObject)
}

/// The members of one ``ResultRecord`` as members of another.
package struct EmbeddedFields<Source>: ResultPart {
    package let members: [OperationResult.Member]
    private let writeAll: @Sendable (Source, inout JSONObject) -> Void

    /// Takes the members of a record.
    /// - Parameter source: what they take their values from; without it they are left out.
    package init<Record: ResultRecord>(
        _ record: Record.Type, _ source: @escaping @Sendable (Source) -> Record.Source?
    ) {
        self.members = Record.members
        self.writeAll = { outer, json in
            guard let inner = source(outer) else { return }
            for part in Record.layout.parts { part.write(inner, &json) }
        }
    }

    /// Takes members that are declared elsewhere.
    /// - Parameter json: the object with their values; without it they are left out.
    package init(members: [OperationResult.Member], _ json: @escaping @Sendable (Source) -> JSONObject?) {
        self.members = members
        self.writeAll = { source, object in
            for (name, value) in json(source)?.members ?? [] { object[name] = value }
        }
    }

    package func write(_ source: Source, _ json: inout JSONObject) { self.writeAll(source, &json) }
}
