import CastWire
import NIOCore
import Testing

/// Each fault, with the byte at which it stands.
@Suite struct JSONErrorTests {
    static let faults: [(text: String, reason: JSONError.Reason, offset: Int)] = [
        ("", .unexpectedEnd, 0), ("  ", .unexpectedEnd, 2), ("[1,", .unexpectedEnd, 3), ("[1", .unexpectedEnd, 2),
        (#"{"a""#, .unexpectedEnd, 4), (#"{"a":"#, .unexpectedEnd, 5), (#"{"a":1"#, .unexpectedEnd, 6),
        (#""abc"#, .unexpectedEnd, 4), (#""\"#, .unexpectedEnd, 2), ("tru", .unexpectedEnd, 3),
        ("{", .unexpectedEnd, 1),
        ("x", .unexpectedByte, 0), ("[1 2]", .unexpectedByte, 3), ("[,1]", .unexpectedByte, 1),
        ("[1,]", .unexpectedByte, 3),
        (#"{"a" 1}"#, .unexpectedByte, 5), ("{a:1}", .unexpectedByte, 1), (#"{"a":1,}"#, .unexpectedByte, 7),
        (#"{1:2}"#, .unexpectedByte, 1), ("[1}", .unexpectedByte, 2), ("trux", .unexpectedByte, 3),
        ("nul!", .unexpectedByte, 3),
        ("\"a\nb\"", .unexpectedByte, 2), ("+1", .unexpectedByte, 0), (".5", .unexpectedByte, 0),
        ("]", .unexpectedByte, 0),
        ("'a'", .unexpectedByte, 0), ("[01]", .unexpectedByte, 2), ("\u{FEFF}1", .unexpectedByte, 0),
        ("-", .invalidNumber, 1), ("-x", .invalidNumber, 1), ("1.", .invalidNumber, 2), ("[1.e5]", .invalidNumber, 3),
        ("1e", .invalidNumber, 2), ("1e+", .invalidNumber, 3), ("-.5", .invalidNumber, 1),
        (#""\x""#, .invalidEscape, 1), (#""ab\u12""#, .invalidEscape, 3), (#""\u12g4""#, .invalidEscape, 1),
        (#""\u+123""#, .invalidEscape, 1), (#"["a","\q"]"#, .invalidEscape, 6), (#""\ud834\u12""#, .invalidEscape, 7),
        ("1 2", .trailingBytes, 2), ("{}x", .trailingBytes, 2), ("null,", .trailingBytes, 4), ("01", .trailingBytes, 1),
        ("\"a\"\u{0}", .trailingBytes, 3),
    ]

    /// Programs of Windows write a mark before files and bodies; messages have none.
    @Test func aDocumentMayHaveAByteOrderMark() throws {
        #expect(try JSONReader.read(document: "\u{FEFF}[1]") == [1])
        #expect(try JSONReader.read(document: "[1]") == [1])
        #expect(throws: JSONError.self) { try JSONReader.read(document: "\u{FEFF}\u{FEFF}[1]") }
        #expect(throws: JSONError.self) { try JSONReader.read(document: "\u{FEFF}") }
    }

    @Test(arguments: faults.indices) func isFoundWhereItStands(_ index: Int) {
        let fault = Self.faults[index]
        #expect("\(fault.text.debugDescription)") {
            try JSONReader.read(fault.text)
        } throws: { error in
            let error = error as? JSONError
            return error?.reason == fault.reason && error?.offset == fault.offset
        }
    }

    /// Text in bytes that are not UTF-8, and where the string begins.
    static let invalidTexts: [(hex: String, offset: Int)] = [
        ("22ff22", 1), ("5b22c322 5d", 2), ("22eda080 22", 1), ("22c0af22", 1), ("22f4908080 22", 1),
        ("22 5c6e ff 22", 1), ("7b 2280 22 3a31 7d", 2),
    ]

    @Test(arguments: invalidTexts.indices) func textThatIsNotUTF8IsRefused(_ index: Int) {
        let sample = Self.invalidTexts[index]
        #expect {
            try JSONReader.read(ByteBuffer(hex: sample.hex))
        } throws: { error in
            let error = error as? JSONError
            return error?.reason == .invalidText && error?.offset == sample.offset
        }
    }

    @Test func describesItself() {
        #expect(throws: JSONError.self) { try JSONReader.read("[1,]") }
        do throws(JSONError) {
            _ = try JSONReader.read("[1,]")
        } catch {
            #expect(error.description == "an unexpected character at byte 3")
        }
    }

    private static func nested(_ open: String, _ close: String, _ depth: Int, inside: String = "") -> String {
        String(repeating: open, count: depth) + inside + String(repeating: close, count: depth)
    }

    @Test func nestingHasALimit() throws {
        #expect(JSONReader.maximumDepth == 128)
        let deepest = Self.nested("[", "]", 128)
        #expect(try JSONReader.read(deepest).text == deepest)
        let deepestObject = Self.nested(#"{"a":"#, "}", 128, inside: "1")
        #expect(try JSONReader.read(deepestObject).text == deepestObject)
        #expect {
            try JSONReader.read(Self.nested("[", "]", 129))
        } throws: { ($0 as? JSONError)?.reason == .tooDeep && ($0 as? JSONError)?.offset == 128 }
        #expect {
            try JSONReader.read(Self.nested(#"{"a":"#, "}", 129, inside: "1"))
        } throws: { ($0 as? JSONError)?.reason == .tooDeep && ($0 as? JSONError)?.offset == 128 * 5 }
        // Many side by side are no nesting.
        #expect(throws: Never.self) { try JSONReader.read("[" + String(repeating: "[],", count: 500) + "[]]") }
    }

    @Test func theNumberOfValuesHasALimit() throws {
        func list(_ count: Int) -> String { "[" + String(repeating: "1,", count: count - 1) + "1]" }
        // The list counts too.
        let longest = list(JSONReader.maximumValues - 1)
        #expect(try JSONReader.read(longest).arrayValue?.count == JSONReader.maximumValues - 1)
        #expect {
            try JSONReader.read(list(JSONReader.maximumValues))
        } throws: { ($0 as? JSONError)?.reason == .tooMany }
        #expect(throws: JSONError.self) {
            try JSONReader.read(ByteBuffer(string: #"{"a":{"b":[]}}"#), maximumValues: 2)
        }
        #expect(throws: Never.self) { try JSONReader.read(ByteBuffer(string: #"{"a":{"b":[]}}"#), maximumValues: 3) }
    }

    @Test(arguments: ["[", #"{"a":"#, #"[{"a":"#]) func hostileNestingIsRefusedAtTheLimit(_ open: String) {
        for text in [Self.nested(open, "", 10_000), String(repeating: open, count: 65_536 / open.utf8.count)] {
            #expect {
                try JSONReader.read(text)
            } throws: { ($0 as? JSONError)?.reason == .tooDeep }
            #expect(PayloadSummary(peeking: ByteBuffer(string: text)) == PayloadSummary())
        }
    }

    @Test func everyTruncationAndChangeIsReadOrThrows() throws {
        let text =
            #"{"type":"LOAD","media":{"contentId":"h\u00e9\ud834\udd1e","d":[1.5e-3,-0,true,null,false]},"é":""}"#
        let whole = Array(text.utf8)
        for length in whole.indices {
            #expect(throws: JSONError.self) { try JSONReader.read(ByteBuffer(bytes: whole.prefix(length))) }
        }
        for position in whole.indices {
            for value in UInt8.min...UInt8.max {
                var changed = whole
                changed[position] = value
                _ = PayloadSummary(peeking: ByteBuffer(bytes: changed))
                do throws(JSONError) {
                    let read = try JSONReader.read(ByteBuffer(bytes: changed))
                    guard (try? JSONReader.read(read.text)) == read else {
                        Issue.record("byte \(position) as \(value) does not survive")
                        continue
                    }
                } catch {
                    if !(0...whole.count).contains(error.offset) {
                        Issue.record("an offset outside the text: \(error)")
                    }
                }
            }
        }
    }
}
