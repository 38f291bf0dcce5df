import CastWire
import NIOCore

/// JSON reads the same when it is written again, and the peek finds what the reader finds.
package enum JSONTarget: FuzzTarget {
    /// `json`
    package static let name = "json"

    /// Reads a text, writes it, reads it again, and peeks.
    package static func run(_ input: [UInt8]) throws {
        let buffer = ByteBuffer(bytes: input)
        let summary = PayloadSummary(peeking: buffer)
        let strict = Self.members(of: buffer)
        guard let value = try? JSONReader.read(buffer) else {
            try Violation.unless(strict == nil, "no JSON, yet these members were found: \(String(describing: strict))")
            return try Violation.unless(summary == PayloadSummary(), "no JSON, yet the peek found \(summary)")
        }
        let expected = value.objectValue.map(Self.summary) ?? PayloadSummary()
        try Violation.unless(summary == expected, "the reader finds \(expected), the peek \(summary)")
        try Self.check(strict, of: value.objectValue)
        let text = JSONWriter.text(value)
        let again = try JSONReader.read(text)
        try Violation.unless(value == again, "read \(value), wrote and read \(again)")
        try Violation.unless(JSONWriter.text(again) == text, "written once \(text), twice \(JSONWriter.text(again))")
    }

    private static func members(of text: ByteBuffer) -> PayloadMembers? {
        if case .object(let members) = PayloadReading(.text(text)) { members } else { nil }
    }

    /// What rules read is what handlers read, or known to be ambiguous.
    private static func check(_ members: PayloadMembers?, of object: JSONObject?) throws {
        try Violation.unless((members == nil) == (object == nil), "an object for one, none for the other")
        guard let members, let object else { return }
        for (name, member) in [
            ("type", members.type), ("responseType", members.responseType), ("appId", members.appID),
            ("appIds", members.appIDs), ("sessionId", members.sessionID),
        ] {
            let count = object.members.count { $0.name == name }
            switch member {
            case .absent: try Violation.unless(count == 0, "'\(name)' was overlooked")
            case .value(let value):
                try Violation.unless(count == 1 && object[name] == value, "'\(name)' is not \(value)")
            case .ambiguous: break
            }
        }
    }

    private static func summary(of object: JSONObject) -> PayloadSummary {
        PayloadSummary(
            type: object.string("type") ?? object.string("responseType"),
            requestID: RequestID(json: object["requestId"]) ?? RequestID(json: object["request_id"]))
    }
}
