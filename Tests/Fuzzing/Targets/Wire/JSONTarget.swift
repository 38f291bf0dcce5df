import CastWire
import NIOCore

/// JSON reads the same when it is written again, and the peek finds what the reader finds.
public enum JSONTarget: FuzzTarget {
    /// `json`
    public static let name = "json"

    /// Reads a text, writes it, reads it again, and peeks.
    public static func run(_ input: [UInt8]) throws {
        let buffer = ByteBuffer(bytes: input)
        let summary = PayloadSummary(peeking: buffer)
        guard let value = try? JSONReader.read(buffer) else {
            return try Violation.unless(summary == PayloadSummary(), "no JSON, yet the peek found \(summary)")
        }
        let expected = value.objectValue.map(Self.summary) ?? PayloadSummary()
        try Violation.unless(summary == expected, "the reader finds \(expected), the peek \(summary)")
        let text = JSONWriter.text(value)
        let again = try JSONReader.read(text)
        try Violation.unless(value == again, "read \(value), wrote and read \(again)")
        try Violation.unless(JSONWriter.text(again) == text, "written once \(text), twice \(JSONWriter.text(again))")
    }

    private static func summary(of object: JSONObject) -> PayloadSummary {
        PayloadSummary(
            type: object.string("type") ?? object.string("responseType"),
            requestID: RequestID(json: object["requestId"]) ?? RequestID(json: object["request_id"]))
    }
}
