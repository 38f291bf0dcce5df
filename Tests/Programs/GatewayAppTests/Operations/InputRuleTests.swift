import CastWire
import GatewayConfig
import GatewayOperations
import Testing

@testable import FeatureContract

@Suite struct InputRuleTests {
    private struct Ruled: RuledInput {
        var first: Int?
        var second: Int?
        var third: Int?
        var object: JSONValue?
        var list: JSONValue?
        var bytes: String?
        var app: String?
        var wait = 0.0

        static let keys: [Key] = [
            .optional("first", \.first, .integer(0...9), "A number"),
            .optional("second", \.second, .integer(0...9), "A number"),
            .optional("third", \.third, .integer(0...9), "A number"),
            .optional("object", \.object, .json, "An object"),
            .optional("list", \.list, .json, "A list of objects"),
            .optional("bytes", \.bytes, .text(maximumBytes: 99), "Base64"),
            .optional("app", \.app, .appID, "An app"),
            Key("wait", \.wait, .number(0...9), "How long"),
        ]

        // What is tried; the others of the suite take no part.
        static let rules: [InputRule] = []

        init(blank: ConfigBlank) {}
    }

    /// The codes and places of what one rule finds in an input.
    private static func faults(_ rule: InputRule, _ input: JSONObject) throws -> [String] {
        let read = CheckedInput(input, as: Ruled.self)
        try #require(read.faults.isEmpty, "\(read.faults)")
        var problems = ConfigProblems()
        rule.check(read.section, problems: &problems)
        return problems.all.map(\.message)
    }

    private static let cases: [(InputRule, fulfilled: [JSONObject], broken: [JSONObject])] = [
        (
            .one(of: ["first", "second"]), [["first": 1], ["second": 1, "third": 1]],
            [[:], ["third": 1], ["first": 1, "second": 1]]
        ),
        (.any(of: ["first", "second"]), [["first": 1], ["first": 1, "second": 1]], [[:], ["third": 1]]),
        (.notBoth("first", "second"), [[:], ["first": 1], ["second": 1]], [["first": 1, "second": 1]]),
        (.needs("first", "second"), [[:], ["second": 1], ["first": 1, "second": 1]], [["first": 1]]),
        (
            .needAny(["first"], of: ["second", "third"]), [[:], ["first": 1, "third": 1], ["second": 1]],
            [["first": 1]]
        ),
        (.objects(["object"]), [[:], ["object": [:]]], [["object": 1], ["object": []]]),
        (.lists(["list"]), [[:], ["list": []], ["list": [[:]]]], [["list": [:]], ["list": [1]], ["list": [[:], 1]]]),
        (
            .base64(["bytes"]), [[:], ["bytes": "AAE="], ["bytes": "AAEC"]],
            [["bytes": "AAE"], ["bytes": "a b="], ["bytes": "AAF="]]
        ),
        (
            .needsObject("wait", "object"), [[:], ["wait": 0], ["wait": 1, "object": [:]]],
            [["wait": 1], ["wait": 1, "object": 5]]
        ),
        (
            .launchableApp, [[:], ["app": "CC1AD845"], ["app": "MultizoneLeader"]],
            [["app": "App"], ["app": "CC1AD84"]]
        ),
    ]

    @Test(arguments: Self.cases.indices) func inputsAreJudged(index: Int) throws {
        let (rule, fulfilled, broken) = Self.cases[index]
        for input in fulfilled { #expect(try Self.faults(rule, input) == [], "\(rule): \(input)") }
        for input in broken { #expect(try Self.faults(rule, input).count == 1, "\(rule): \(input)") }
    }

    /// Each rule of a list is in the schema, though several use the same keyword.
    @Test func noRuleIsLostInTheSchema() {
        let schema = InputRule.schema([
            .any(of: ["first"]), .objects(["object"]), .lists(["list"]), .needs("first", "second"),
            .needs("second", "third"), .notBoth("first", "third"), .needAny(["third"], of: ["second"]),
            .notBoth("second", "third"),
        ])
        #expect(
            schema == [
                "anyOf": [["required": ["first"]]],
                "properties": [
                    "object": ["type": "object"], "list": ["type": "array", "items": ["type": "object"]],
                ],
                "dependentRequired": ["first": ["second"], "second": ["third"]],
                "not": ["required": ["first", "third"]],
                "allOf": [
                    ["anyOf": [["required": ["second"]], ["not": ["anyOf": [["required": ["third"]]]]]]],
                    ["not": ["required": ["second", "third"]]],
                ],
            ])
    }
}
