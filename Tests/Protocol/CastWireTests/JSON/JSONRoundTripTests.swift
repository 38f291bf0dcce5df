import CastWire
import CastwayTestSupport
import NIOCore
import Testing

/// What is read and written again stays what it was.
@Suite struct JSONRoundTripTests {
    /// Compact JSON in the writer's own choice of escapes.
    static let compact: [String] = [
        "null", "true", "false", "0", "\"\"", "[]", "{}", "[[],{}]", #"{"a":1,"b":[1,2,{"c":null}],"":""}"#,
        #"{"z":1,"a":2,"m":3}"#, #"{"same":1,"same":2}"#,
        #"["\"","\\","\n","\r","\t","\u0000","\u0008","\u000c","\u001f"]"#,
        #"["größer","€","𝄞","/","\#u{7F}","\#u{2028}"]"#,
    ]

    @Test(arguments: compact) func compactTextKeepsItsBytes(_ text: String) throws {
        #expect(try JSONReader.read(text).text == text)
    }

    /// Spelling, value as a double, value as a whole number.
    static let numbers: [(text: String, double: Double, int: Int?)] = [
        ("0", 0, 0), ("-0", -0.0, 0), ("0.0", 0, 0), ("1.0", 1, 1), ("1e0", 1, 1), ("1E+2", 100, 100),
        ("1.50", 1.5, nil), ("-12.5e-1", -1.25, nil), ("1e-7", 1e-7, nil), ("0.949999988", 0.949999988, nil),
        ("9223372036854775807", 9_223_372_036_854_775_808, 9_223_372_036_854_775_807),
        ("-9223372036854775808", -9_223_372_036_854_775_808, -9_223_372_036_854_775_808),
        ("9223372036854775808", 9_223_372_036_854_775_808, nil), ("1e400", .infinity, nil), ("-1e400", -.infinity, nil),
        ("1e-400", 0, 0), ("123456789012345678901234567890", 1.2345678901234568e29, nil),
        ("9007199254740993", 9_007_199_254_740_992, 9_007_199_254_740_993),
    ]

    @Test(arguments: numbers.indices) func numbersKeepTheirSpelling(_ index: Int) throws {
        let sample = Self.numbers[index]
        let value = try JSONReader.read(sample.text)
        #expect(value.text == sample.text)
        #expect(value.doubleValue == sample.double)
        #expect(value.intValue == sample.int)
        #expect(try JSONReader.read("[\(sample.text),1]").text == "[\(sample.text),1]")
    }

    @Test func numbersOfSwiftAreWrittenAsJSON() {
        #expect(JSONValue.number(5).text == "5")
        #expect(JSONValue.number(5.0).text == "5")
        #expect(JSONValue.number(-0.25).text == "-0.25")
        #expect(JSONValue.number(Double.infinity).text == "null")
        #expect(JSONValue.number(Double.nan).text == "null")
        for value in [1e-5, .leastNonzeroMagnitude, 1e20, 1.7976931348623157e308, 0.1, -2.5e-9] {
            let text = JSONValue.number(value).text
            #expect(throws: Never.self, "\(text)") { try JSONReader.read(text) }
            #expect((try? JSONReader.read(text))?.doubleValue == value)
        }
    }

    /// JSON text of a string, and the string.
    static let escapes: [(text: String, value: String)] = [
        (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
        (#""\u0041\u00e9\u20AC\uFFFF""#, "Aé€\u{FFFF}"),
        (#""\u0000""#, "\u{0}"),
        (#""\ud834\udd1e\uD83D\uDE00""#, "𝄞😀"),
        (#""\udbff\udfff""#, "\u{10FFFF}"),
        // Half a pair becomes a replacement character, and what follows is read by itself.
        (#""\ud834""#, "\u{FFFD}"),
        (#""\udd1e""#, "\u{FFFD}"),
        (#""\ud834x""#, "\u{FFFD}x"),
        (#""\ud834\n""#, "\u{FFFD}\n"),
        (#""\ud834\u0041""#, "\u{FFFD}A"),
        (#""\ud834\ud834\udd1e""#, "\u{FFFD}𝄞"),
        (#""\udd1e\ud834""#, "\u{FFFD}\u{FFFD}"),
        (#""e\u0301""#, "e\u{301}"),
    ]

    @Test(arguments: escapes.indices) func escapesAreRead(_ index: Int) throws {
        let sample = Self.escapes[index]
        let read = try #require(try JSONReader.read(sample.text).stringValue)
        #expect(Array(read.unicodeScalars) == Array(sample.value.unicodeScalars))
        // The same as a name.
        let object = try JSONReader.read("{\(sample.text):1}").objectValue
        #expect(object?.members.map { Array($0.name.unicodeScalars) } == [Array(sample.value.unicodeScalars)])
    }

    @Test(arguments: 1...8) func randomValuesComeBack(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<200 {
            let value = random.json(depth: 5)
            let text = value.text
            #expect(try JSONReader.read(text) == value)
            #expect(try JSONReader.read(random.disguise(text)) == value)
            #expect(try JSONReader.read(text).text == text)
        }
    }

    @Test func bufferIsReadFromItsReaderIndex() throws {
        var buffer = ByteBuffer(string: "xx[1]")
        buffer.moveReaderIndex(forwardBy: 2)
        #expect(try JSONReader.read(buffer) == [1])
    }
}
