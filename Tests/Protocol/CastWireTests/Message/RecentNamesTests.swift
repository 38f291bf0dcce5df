import CastWire
import NIOCore
import Testing

/// What is recalled of the message before changes nothing about the next one.
@Suite struct RecentNamesTests {
    private static let first = "0800 120161 1a0162 220163 2800"

    @Test(
        arguments: [
            // As the first one, with another payload.
            "\(first) 320165",
            // Each name, and the kind of payload, once more behind the head: the last counts.
            "\(first) 320164 120178", "\(first) 320164 1a0178", "\(first) 320164 220178",
            "\(first) 320164 3a0165 2801", "\(first) 320164 3a0165", "\(first) 320164 0801",
            // Another head of the same length, a shorter and a longer one.
            "0800 120161 1a0162 220178 2800 320164", "0800 120161 1a0162 22027878 2800 320164",
            "0800 120161 1a0162 220163 2801 3a0165", "\(first) 4001 320164", "\(first) 320164 4001",
            // The payload first, a field twice, nothing unknown at the front.
            "320164 0800 120161 1a0162 220163 2800", "0800 120178 120161 1a0162 220163 2800 320164",
            // Faults.
            "\(first)", "\(first) 320164 1200", "\(first) 3201ff", "0800 120161 1a0162 2800 320164",
            "\(first) 320164 2802", "\(first) 320164 1201ff", "\(first) 32",
        ])
    func theSecondMessageIsReadAsIfItWereTheFirst(_ second: String) {
        let body = ByteBuffer(hex: second)
        var names = RecentNames()
        let before = try? CastMessage(parsing: ByteBuffer(hex: Self.first + "320164"), recalling: &names)
        #expect(before == CastMessage(source: "a", destination: "b", namespace: "c", payload: .text("d")))
        let recalled = Result { () throws(WireError) in try CastMessage(parsing: body, recalling: &names) }
        let fresh = Result { () throws(WireError) in try CastMessage(parsing: body) }
        #expect(recalled == fresh)
        guard case .success = recalled else { return }
        // And so is the third.
        let third = try? CastMessage(parsing: ByteBuffer(hex: Self.first + "320166"), recalling: &names)
        #expect(third == CastMessage(source: "a", destination: "b", namespace: "c", payload: .text("f")))
    }

    @Test func messagesWithTheSameNamesShareThem() throws {
        var names = RecentNames()
        let one = try CastMessage(parsing: ByteBuffer(hex: Self.first + "320164"), recalling: &names)
        let two = try CastMessage(parsing: ByteBuffer(hex: Self.first + "320165"), recalling: &names)
        #expect(one.names === two.names)
        var renamed = two
        renamed.source = "x"
        #expect(renamed.names !== two.names)
        #expect(two.source == "a")
    }

    @Test func aMessageIsWrittenUnderOtherNames() throws {
        var frame = ByteBuffer()
        let names = MessageNames(source: "sender-17", destination: "b", namespace: "c")
        let message = CastMessage(source: "a", destination: "b", namespace: "c", payload: .text("d"))
        try message.serializeFrame(as: names, into: &frame)
        #expect(frame.readInteger(as: UInt32.self).map(Int.init) == frame.readableBytes)
        var expected = message
        expected.names = names
        #expect(try CastMessage(parsing: frame) == expected)
        #expect(frame.readableBytes == expected.serializedLength)
    }
}
