import CastWire

/// What holds for every typed look at JSON: reading it harms nothing, and writing back what was read changes nothing.
struct PayloadCheck<Payload: JSONPayload> {
    let payload: Payload

    init(_ payload: Payload) {
        self.payload = payload
    }

    /// Writes properties back that stand under one name each, and compares.
    func keeps<Value: Equatable>(_ properties: [WritableKeyPath<Payload, Value>]) throws {
        for property in properties {
            let value = self.payload[keyPath: property]
            // JSON has no infinity, so that one cannot be written.
            if let number = value as? Double, !number.isFinite { continue }
            var changed = self.payload
            changed[keyPath: property] = value
            let again = changed[keyPath: property]
            try Violation.unless(again == value, "\(property): set \(value), got \(again) in \(self.text)")
            let names = Set((self.payload.json.members + changed.json.members).map(\.name))
            let different = names.filter { self.payload.json[$0] != changed.json[$0] }
            try Violation.unless(different.count <= 1, "\(property): setting it changed \(different) of \(self.text)")
        }
    }

    private var text: String { JSONValue.object(self.payload.json).text }
}

extension PayloadCheck where Payload: MessagePayload {
    /// The message is the same behind the wire.
    func survivesTheWire() throws {
        let again = Payload(self.payload.payload)
        try Violation.unless(again == self.payload, "\(self.text) became \(String(describing: again))")
        try Violation.unless(
            again?.type == self.payload.type && again?.requestID == self.payload.requestID,
            "\(self.text) has another type or id behind the wire")
        var changed = self.payload
        changed.requestID = self.payload.requestID
        try Violation.unless(changed.requestID == self.payload.requestID, "\(self.text) loses its id")
    }
}

extension CastMessage.Payload {
    /// An input as a payload: text, as the wire would have let it through.
    init?(input: [UInt8]) {
        guard let text = String(validating: input, as: UTF8.self) else { return nil }
        self = .text(text)
    }
}
