import CastWire
import Foundation
import GatewayConfig
import Testing

/// What is made from a schema and from a document: YAML, JSON Schema, reference.
struct ConfigOutputTests {
    @Test func printedTextReadsBack() {
        let nasty = [
            "text", "with space", "a: b", "a #b", "- a", "yes", "true", "null", "~", "12", "0x1", "1e3", "", " a", "a ",
            "a:",
            "'", "\"", "\\", "\n", "\t", "é", "«»", "${A}", "$${A}", "*", "&a", "!t", "a,b", "[a]", "{a}", "%", "@",
            "`",
            "---", "...", "-", "?", "? a", "\u{85}", "\u{2028}", "\u{1F600}", "=", "<<", "10:20", ".", "..", "1.2.3",
            "-1",
        ]
        let yaml = nasty.map { JSONValue.string($0).text(indented: false).replacing("${", with: "$${") }
            .joined(separator: ", ")
        let document = ConfigTestSchema.load("config: [\(yaml)]\neither: [\(yaml)]")
        let printed = document.effectiveText(origins: true)
        let again = ConfigTestSchema.load(printed)
        #expect(again.root.json("config") == .array(nasty.map { .string($0) }))
        // The list of texts refuses what no text may be, so compare what both accept.
        #expect(again.root.strings("either") == document.root.strings("either"))
        #expect(document.root.strings("either").count > 40)
    }

    @Test func everyKindReadsBack() {
        let text = """
            count: -5
            ratio: 0.125
            time: 90s
            memory: 1GiB
            listen: "[::1]:80"
            dial: "[fe80::1]:81"
            ranges: [10.0.0.0/8, "::ffff:0:0/96"]
            config: {a: {b: [~, 1.5, {}]}}
            things: [{name: a}, {name: "b: c", value: 2}]
            map: {"*": 1, "a b": 2, "- x": 3}
            """
        let first = ConfigTestSchema.load(text)
        #expect(first.report().text() == "")
        let second = ConfigTestSchema.load(first.effectiveText(origins: true))
        #expect(second.report().text() == "")
        #expect(second.effectiveText(origins: false) == first.effectiveText(origins: false))
        let ranges = [first, second].map { $0.root.list("ranges").compactMap(\.addressRange) }
        #expect(ranges[0] == ranges[1])
        #expect(second.root.json("config") == first.root.json("config"))
    }

    @Test func jsonSchemaOfEveryKindIsJSON() throws {
        let text = ConfigTestSchema.schema.jsonSchema(title: "test")
        let schema = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let properties = try #require(schema["properties"] as? [String: [String: Any]])
        #expect(properties["password_file"] != nil)
        #expect(properties["count"]?["default"] as? Int == 7)
        let either = properties["either"]?["anyOf"] as? [[String: Any]]
        #expect(either?.count == 3)
    }

    @Test func jsonTextEscapes() {
        let value = JSONValue.object([
            "a\"\\\n\u{1}\u{7F}\u{2028}é": [nil, true, 1.5]
        ])
        #expect(value.text(indented: false) == #"{"a\"\\\n\u0001\u007f\u2028é":[null,true,1.5]}"#)
        #expect(JSONValue.array([]).text(indented: true) == "[]")
        #expect(JSONValue.number(.infinity).text(indented: false) == "null")
    }

    private struct Inner: ConfigSettings {
        var a = true

        static let keys: [Key] = [Key("a", \.a, .boolean, "A")]
    }

    private struct Outer: ConfigSettings {
        var inner = Inner()
        var b = 2

        static let keys: [Key] =
            Inner.keys.embedded(in: \Self.inner) + [Key("b", \.b, .integer(1...2), "B")]
    }

    @Test func schemasOfFeaturesCompose() {
        let document = ConfigDocument.load(
            path: "t", schema: Outer.schema, fileSystem: .memory(["t": "a: false"]), environment: [:])
        #expect(document.effectiveText(origins: false) == "a: false\nb: 2\n")
        #expect(Outer.schema.referenceMarkdown(title: "T").contains("| `b` | whole number, 1 to 2 | `2` | B. |"))
        #expect(
            Outer(reading: document.root)
                == Outer {
                    $0.inner.a = false
                })
    }
}
