import CastWire
import PluginKit
import Testing

@Suite struct CodingTests {
    enum Kind: String, Codable { case fast, slow }

    struct Inner: Codable, Equatable {
        var flag: Bool
        var text: String?
    }

    struct Everything: Codable, Equatable {
        var small: Int8
        var big: UInt64
        var number: Double
        var single: Float
        var kind: Kind
        var inner: Inner
        var list: [Inner]
        var named: [String: Int]
        var nothing: String?
        var empty: [Int]
        var moment: PluginInstant
    }

    private let value = Everything(
        small: -5, big: .max, number: 2.5, single: 0.25, kind: .slow, inner: Inner(flag: true, text: "ä\"\n"),
        list: [Inner(flag: false, text: nil)], named: ["a": 1], nothing: nil, empty: [],
        moment: PluginInstant(milliseconds: 1_767_225_600_000))

    @Test func valuesSurvive() throws {
        let json = try JSONValueEncoder.encode(self.value)
        #expect(json.objectValue?["big"]?.text == "18446744073709551615")
        #expect(json.objectValue?["nothing"] == nil)
        #expect(json.objectValue?["empty"] == [])
        #expect(json.objectValue?["moment"] == 1_767_225_600_000)
        let read = try JSONReader.read(json.text)
        #expect(try JSONValueDecoder.decode(Everything.self, from: read) == self.value)
    }

    @Test func singleValues() throws {
        #expect(try JSONValueEncoder.encode([1, 2]) == [1, 2])
        #expect(try JSONValueEncoder.encode("a") == "a")
        #expect(try JSONValueEncoder.encode([String: Int]()) == [:])
        #expect(try JSONValueDecoder.decode([String?].self, from: ["a", nil]) == ["a", nil])
        #expect(try JSONValueDecoder.decode(Int.self, from: 5.0) == 5)
        #expect(try JSONValueDecoder.decode(Int?.self, from: nil) == nil)
    }

    private static let misfits: [(String, JSONValue, String)] = [
        ("small", 128, "/small: should be a whole number from -128 to 127"),
        ("small", 1.5, "/small: should be a whole number from -128 to 127"),
        ("big", "1", "/big: should be a whole number"), ("number", true, "/number: should be a number"),
        ("inner", [], "/inner: should be an object"),
        ("inner", ["flag": 1], "/inner/flag: should be true or false"),
        ("list", [["flag": true], [:]], "/list/1/flag: is missing"),
        ("named", ["a/b~": "x"], "/named/a~1b~0: should be a whole number"),
        ("nothing", [], "/nothing: should be a string"),
    ]

    @Test(arguments: Self.misfits)
    func whatDoesNotFitIsNamed(_ name: String, _ wrong: JSONValue, _ description: String) throws {
        var json = try #require(try JSONValueEncoder.encode(self.value).objectValue)
        json[name] = wrong
        let error = try #require(throws: JSONCodingError.self) {
            try JSONValueDecoder.decode(Everything.self, from: .object(json))
        }
        #expect(error.description == description)
    }

    @Test func aWordThatIsNoneIsNamed() throws {
        var json = try #require(try JSONValueEncoder.encode(self.value).objectValue)
        json["kind"] = "middling"
        let error = try #require(throws: JSONCodingError.self) {
            try JSONValueDecoder.decode(Everything.self, from: .object(json))
        }
        #expect(error.pointer == "/kind")
    }

    @Test func whatJSONCannotHoldIsRefused() {
        #expect(throws: JSONCodingError.self) { try JSONValueEncoder.encode(["a": Double.infinity]) }
    }

    @Test func instantsStayWithinReason() {
        let end = PluginInstant(milliseconds: .max)
        #expect(end.advanced(by: .seconds(Int64.max)) == end)
        #expect(
            PluginInstant(milliseconds: .min).advanced(by: .seconds(Int64.min)) == PluginInstant(milliseconds: .min))
        #expect(PluginInstant(milliseconds: 1_000).advanced(by: .milliseconds(-1_500)).milliseconds == -500)
        #expect(PluginInstant(milliseconds: 5).duration(to: PluginInstant(milliseconds: 8)) == .milliseconds(3))
    }
}
