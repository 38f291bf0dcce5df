/// How typed properties read and write the fields of an object.
///
/// Reading is as lenient as the receivers that senders were written for: numbers may be spelled as text, truth follows
/// JavaScript, and a field of another kind counts as absent. Setting nil removes the field.
extension JSONPayload {
    subscript(text name: String) -> String? {
        get { self.json.string(name) }
        set { self.json[name] = newValue.map(JSONValue.string) }
    }

    subscript(whole name: String) -> Int? {
        get { self.json[name]?.lenientInt }
        set { self.json[name] = newValue.map { .number($0) } }
    }

    subscript(number name: String) -> Double? {
        get { self.json[name]?.lenientDouble }
        set { self.json[name] = newValue.map { .number($0) } }
    }

    subscript(flag name: String) -> Bool? {
        get { self.json[name]?.truth }
        set { self.json[name] = newValue.map(JSONValue.bool) }
    }

    subscript(object name: String) -> JSONObject? {
        get { self.json.object(name) }
        set { self.json[name] = newValue.map(JSONValue.object) }
    }

    /// Nil unless every element is a whole number.
    subscript(wholes name: String) -> [Int]? {
        get {
            guard let elements = self.json.array(name) else { return nil }
            let numbers = elements.compactMap(\.lenientInt)
            return numbers.count == elements.count ? numbers : nil
        }
        set { self.json[name] = newValue.map { .array($0.map { .number($0) }) } }
    }

    /// Elements that are no text are left out.
    subscript(texts name: String) -> [String]? {
        get { self.json.array(name)?.compactMap(\.stringValue) }
        set { self.json[name] = newValue.map { .array($0.map(JSONValue.string)) } }
    }

    subscript<Value: RawRepresentable>(raw name: String) -> Value? where Value.RawValue == String {
        get { self.json.string(name).flatMap(Value.init(rawValue:)) }
        set { self.json[name] = newValue.map { .string($0.rawValue) } }
    }

    subscript<Value: RawRepresentable>(rawWhole name: String) -> Value? where Value.RawValue == Int {
        get { self[whole: name].flatMap(Value.init(rawValue:)) }
        set { self[whole: name] = newValue?.rawValue }
    }

    subscript<Value: JSONPayload>(payload name: String) -> Value? {
        get { self.json.object(name).map(Value.init(json:)) }
        set { self.json[name] = newValue.map { .object($0.json) } }
    }

    /// Elements that are no object are left out.
    subscript<Value: JSONPayload>(payloads name: String) -> [Value]? {
        get { self.json.array(name)?.compactMap(\.objectValue).map(Value.init(json:)) }
        set { self.json[name] = newValue.map { .array($0.map { .object($0.json) }) } }
    }
}
