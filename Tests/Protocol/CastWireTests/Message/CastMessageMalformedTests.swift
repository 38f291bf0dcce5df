import CastWire
import NIOCore
import Testing

/// What a hostile peer may send.
@Suite struct CastMessageMalformedTests {
    private static let valid = "0800 120161 1a0162 220163 2800 320164"

    static let samples: [CastMessage] = [
        .sample,
        .sampleWithUnknownFields,
        CastMessageVectorTests.vectors[0].message,
        CastMessage(source: "a", destination: "b", namespace: "c", payload: .text("")),
        CastMessage(
            source: "a", destination: "b", namespace: "c", payload: .text(String(repeating: "é", count: 70))),
    ]

    /// Bytes behind the required fields that no reader may accept, and the error for each.
    static let malformed: [(name: String, hex: String, error: WireError)] = [
        ("field number 0", "0000", .malformedField(number: 0)),
        ("field number 2^29", "8080808010 00", .malformedField(number: 0)),
        ("wire type 6", "46", .malformedField(number: 8)),
        ("wire type 7", "47", .malformedField(number: 8)),
        ("end of a group that was not begun", "44", .malformedField(number: 8)),
        ("group that ends under another number", "43 4c", .malformedField(number: 9)),
        ("group without an end", "43 4801", .truncatedMessage),
        ("groups crossed", "43 4b 44 4c", .malformedField(number: 8)),
        ("varint of eleven bytes", "40 8080808080808080808001", .malformedField(number: 8)),
        ("varint above 2^64", "40 ffffffffffffffffff02", .malformedField(number: 8)),
        ("varint without an end", "40 ffff", .truncatedMessage),
        ("length of 2^64 - 1", "32 ffffffffffffffffff01", .truncatedMessage),
        ("length of 2^63", "32 80808080808080808001", .truncatedMessage),
        ("length of 2^63 - 1", "32 ffffffffffffffff7f", .truncatedMessage),
        ("length of 2^31 - 1", "32 ffffffff07 61", .truncatedMessage),
        ("length one too long", "32 02 61", .truncatedMessage),
        ("length one too long in a group", "43 4a 02 61", .truncatedMessage),
        ("fixed 64 cut short", "41 01020304050607", .truncatedMessage),
        ("fixed 32 cut short", "45 010203", .truncatedMessage),
        ("empty source", "1200", .emptyField(number: 2)),
        ("empty destination", "1a00", .emptyField(number: 3)),
        ("empty namespace", "2200", .emptyField(number: 4)),
        ("source that is no text", "1201 ff", .invalidText(number: 2)),
        ("destination cut in a character", "1a01 c3", .invalidText(number: 3)),
        ("surrogate in the namespace", "2203 eda080", .invalidText(number: 4)),
        ("overlong slash in the payload", "3202 c0af", .invalidText(number: 6)),
        ("unknown payload type", "2802", .invalidValue(number: 5, value: 2)),
        ("binary type with a text alone", "2801", .missingField(number: 7)),
    ]

    @Test(arguments: malformed.indices) func isRefused(_ index: Int) {
        let sample = Self.malformed[index]
        #expect(throws: sample.error, "\(sample.name)") {
            try CastMessage(parsing: ByteBuffer(hex: Self.valid + sample.hex))
        }
    }

    @Test func theFrameOfTheTableIsValidByItself() throws {
        let message = try CastMessage(parsing: ByteBuffer(hex: Self.valid))
        #expect(message == CastMessage(source: "a", destination: "b", namespace: "c", payload: .text("d")))
        #expect(throws: WireError.missingField(number: 1)) { try CastMessage(parsing: ByteBuffer()) }
    }

    @Test func varintsOfTenBytesAreRead() throws {
        // A version of -1, and a length of 1 written in ten bytes.
        let message = try CastMessage(
            parsing: ByteBuffer(
                hex: "08 ffffffffffffffffff01 120161 1a0162 220163 2800 32 81808080808080808000 64"))
        #expect(message.payload == .text("d"))
    }

    @Test func groupsMayNestToALimit() throws {
        func nested(_ depth: Int) -> ByteBuffer {
            ByteBuffer(
                hex: Self.valid + String(repeating: "43", count: depth) + String(repeating: "44", count: depth))
        }
        let kept = try CastMessage(parsing: nested(64)).unknownFields
        #expect(kept?.readableBytes == 128)
        #expect(throws: WireError.malformedField(number: 8)) { try CastMessage(parsing: nested(65)) }
        #expect(throws: WireError.malformedField(number: 8)) { try CastMessage(parsing: nested(30_000)) }
    }

    @Test(arguments: samples.indices) func everyTruncationThrows(_ index: Int) {
        var sample = Self.samples[index]
        // Unknown fields stand last and may be cut off whole.
        sample.unknownFields = nil
        let whole = sample.wire
        for length in whole.indices {
            #expect(throws: WireError.self, "\(length) of \(whole.count) bytes") {
                try CastMessage(wire: Array(whole.prefix(length)))
            }
        }
    }

    @Test(arguments: samples.indices) func everyTruncationOfTheFrameIsReadOrThrows(_ index: Int) throws {
        let whole = Self.samples[index].wire
        for length in whole.indices {
            guard let message = try? CastMessage(wire: Array(whole.prefix(length))) else { continue }
            #expect(try CastMessage(wire: message.wire) == message)
        }
    }

    @Test(arguments: samples.indices) func everyChangeOfOneByteIsReadOrThrows(_ index: Int) throws {
        let whole = Self.samples[index].wire
        var accepted = 0
        for position in whole.indices {
            for value in UInt8.min...UInt8.max {
                var changed = whole
                changed[position] = value
                guard let message = try? CastMessage(wire: changed) else { continue }
                accepted += 1
                // What was read can be written and read again.
                guard let again = try? CastMessage(wire: message.wire), again == message else {
                    Issue.record("byte \(position) as \(value) does not survive")
                    continue
                }
            }
        }
        #expect(accepted >= whole.count)
    }
}
