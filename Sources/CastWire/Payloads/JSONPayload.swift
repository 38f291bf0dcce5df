/// A typed look at a JSON object.
///
/// The object itself is kept, so fields that Castway does not know survive being read, changed and written.
public protocol JSONPayload: Hashable, Sendable {
    /// The whole object, known fields and unknown ones.
    var json: JSONObject { get set }

    /// Looks at an object; nothing is checked until a property is read.
    init(json: JSONObject)
}
