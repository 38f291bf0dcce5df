import CastWire

extension JSONPayload {
    /// Looks at an object written as text; another value counts as an empty object.
    init(text: String) throws {
        self.init(json: try JSONReader.read(text).objectValue ?? [:])
    }

    /// The object as text.
    var text: String { JSONValue.object(self.json).text }
}
