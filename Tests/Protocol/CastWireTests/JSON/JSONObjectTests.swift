import CastWire
import Testing

@Suite struct JSONObjectTests {
    @Test func settingReplacesInPlaceOrAppends() {
        var object: JSONObject = ["a": 1, "b": 2, "c": 3]
        object["b"] = "two"
        object["d"] = 4
        #expect(JSONValue.object(object).text == #"{"a":1,"b":"two","c":3,"d":4}"#)
        object["a"] = nil
        object["x"] = nil
        #expect(JSONValue.object(object).text == #"{"b":"two","c":3,"d":4}"#)
    }

    @Test func ofANameThatStandsTwiceTheLastCounts() throws {
        var object = try #require(try JSONReader.read(#"{"a":1,"b":2,"a":3}"#).objectValue)
        #expect(object.int("a") == 3)
        object["a"] = 4
        #expect(JSONValue.object(object).text == #"{"a":1,"b":2,"a":4}"#)
        object["a"] = nil
        #expect(JSONValue.object(object).text == #"{"b":2}"#)
        #expect(object["a"] == nil)
    }

    @Test func gettersGiveNilForAnotherKind() {
        let object: JSONObject = [
            "text": "1", "number": 1.5, "truth": true, "list": [1], "object": ["a": 1], "null": nil,
        ]
        #expect(object.string("number") == nil)
        #expect(object.int("number") == nil)
        #expect(object.double("text") == nil)
        #expect(object.bool("number") == nil)
        #expect(object.array("object") == nil)
        #expect(object.object("list") == nil)
        #expect(object.string("none") == nil)
        #expect(object["null"] == .null)
        #expect(object.double("number") == 1.5)
        #expect(object.array("list") == [1])
        #expect(object.object("object")?.int("a") == 1)
    }

    @Test func equalityHeedsTheOrder() {
        let object: JSONObject = ["a": 1, "b": 2]
        #expect(object == ["a": 1, "b": 2])
        #expect(object != ["b": 2, "a": 1])
        #expect(object != ["a": 1])
        #expect(object.hashValue == (["a": 1, "b": 2] as JSONObject).hashValue)
    }

    @Test func requestIDIsANumberOrText() {
        #expect(RequestID(json: 5)?.json == 5)
        #expect(RequestID(json: "5")?.json == "5")
        #expect(RequestID(json: 5) != RequestID(json: "5"))
        for value: JSONValue in [nil, true, [1], [:]] { #expect(RequestID(json: value) == nil) }
        #expect(RequestID(json: Optional<JSONValue>.none) == nil)
        #expect(RequestID.spontaneous == 0)
    }

    @Test(arguments: [
        ("1", "1.0", true), ("100", "1e2", true), ("0.5", "5e-1", true), ("1", "2", false), ("1", "\"1\"", false),
        ("9007199254740993", "9007199254740992", false), ("1e999", "1e999", true), ("1e999", "1e998", false),
        (#"{"a":1,"b":[2]}"#, #"{"b":[2.0],"a":1}"#, true), (#"{"a":1}"#, #"{"a":1,"b":null}"#, false),
        (#"{"a":1,"a":2}"#, #"{"a":2}"#, true), ("[1,2]", "[2,1]", false), ("[1]", "[1,1]", false),
        ("null", "false", false),
    ])
    func valuesAreComparedByWhatTheyMean(left: String, right: String, areSame: Bool) throws {
        let (left, right) = (try JSONReader.read(left), try JSONReader.read(right))
        #expect(left.isEquivalent(to: right) == areSame && right.isEquivalent(to: left) == areSame)
        #expect(left.isEquivalent(to: left))
    }
}
