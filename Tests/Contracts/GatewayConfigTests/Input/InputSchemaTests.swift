import CastWire
import GatewayConfig
import Testing

/// The JSON Schema of an input says what the check of it takes.
@Suite struct InputSchemaTests {
    private struct Input: ConfigObject {
        var text = ""
        var count = 3
        var share: Double?
        var mode = Mode.fast
        var app: String?
        var tags: [String] = []
        var extra: [String: Int] = [:]
        var any: JSONValue?
        var hidden: Secret?

        enum Mode: String, Sendable, CaseIterable { case fast, slow }

        static let keys: [Key] = [
            .required("text", \.text, .text(maximumBytes: 4), "Some text", example: "5"),
            Key("count", \.count, .integer(1...9), "How many", example: "5"),
            .optional("share", \.share, .number(0...1), "How much"), Key("mode", \.mode, .word, "How"),
            .optional("app", \.app, .appID, "Which app"),
            Key("tags", \.tags, .list(of: .text(allowed: "a-z", length: 1...3)), "The tags"),
            Key("extra", \.extra, .map(key: .text(allowed: "a-z", length: 1...3), value: .integer(0...1)), "More"),
            .optional("any", \.any, .json, "Anything"),
            .optional("hidden", \.hidden, .hiddenText(maximumBytes: 9), "Never shown", example: "hunter2"),
        ]

        init(blank: ConfigBlank) {}
    }

    private static let schema = ConfigField.inputSchema(Self.fields)

    private static var fields: [ConfigField] {
        if case .object(let fields) = Input.schema.kind { fields } else { [] }
    }

    private static func property(_ name: String) -> JSONObject? { Self.schema.object("properties")?.object(name) }

    @Test func anObjectIsClosed() {
        #expect(Self.schema.string("type") == "object" && Self.schema["additionalProperties"] == false)
        #expect(Self.schema["required"] == ["text"])
        #expect(Self.schema.object("properties")?.members.map(\.name) == Self.fields.map(\.name))
    }

    @Test func valuesAreDescribed() throws {
        let text = try #require(Self.property("text"))
        #expect(text.int("minLength") == 1 && text.int("maxLength") == 4 && text["examples"] == ["5"])
        #expect(text.string("type") == "string" && text.string("description") == "Some text")
        let count = try #require(Self.property("count"))
        #expect(count["minimum"] == 1 && count["maximum"] == 9 && count["default"] == 3 && count["examples"] == [5])
        #expect(Self.property("mode")?["enum"] == ["fast", "slow"] && Self.property("mode")?["default"] == "fast")
        #expect(Self.property("app")?.string("pattern") == "^[A-Za-z0-9._-]{1,64}$")
        #expect(Self.property("tags")?.object("items")?.string("pattern") == "^[a-z]{1,3}$")
        #expect(Self.property("extra")?.object("propertyNames")?.string("pattern") == "^[a-z]{1,3}$")
        #expect(Self.property("any")?.members.map(\.name) == ["description"])
        #expect(Self.property("hidden")?["writeOnly"] == true && Self.property("hidden")?["examples"] == nil)
    }

    /// Nothing of what only files have: references to the environment, numbers for texts, notes.
    @Test func nothingIsOfYAML() {
        let text = JSONValue.object(Self.schema).text
        for word in ["$ref", "x-", "_file", "\"number\",\"boolean\""] { #expect(!text.contains(word), "\(word)") }
    }

    /// JSON Schema counts code points, and so does the check.
    @Test(arguments: [("abcd", true), ("abcde", false), ("ääää", true), ("👍👍👍👍", true), ("👍👍👍👍👍", false), ("", false)])
    func lengthsAreCodePoints(text: String, isTaken: Bool) {
        let input = CheckedInput(["text": .string(text)], as: Input.self)
        #expect(input.faults.isEmpty == isTaken)
        for fault in input.faults { #expect(fault.message.contains("1 to 4 characters"), "\(fault.message)") }
    }
}
