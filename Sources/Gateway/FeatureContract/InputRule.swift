package import CastWire
package import GatewayConfig
package import GatewayOperations
import PluginKit

/// What an input has to fulfil between its keys, and beyond their types: checked before an operation is done, and told to programs as
/// JSON Schema, from one declaration.
package enum InputRule: Sendable, Hashable {
    /// One of these keys is there, and no second.
    case one(of: [String])
    /// At least one of these keys is there.
    case any(of: [String])
    /// Not both of two keys are there.
    case notBoth(String, String)
    /// The first key is there only beside the second.
    case needs(String, String)
    /// Keys that are there only beside at least one of some others.
    case needAny([String], of: [String])
    /// Keys whose JSON is an object.
    case objects([String])
    /// Keys whose JSON is a list of objects.
    case lists([String])
    /// Keys whose text is base64.
    case base64([String])
    /// The first key is a number above zero only where the JSON of the second is an object.
    case needsObject(String, String)
    /// The key `app` names an app that can be launched.
    case launchableApp
}

/// An input with rules.
package protocol RuledInput: OperationInput {
    static var rules: [InputRule] { get }
}

extension RuledInput {
    package static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        for rule in Self.rules { rule.check(section, problems: &problems) }
    }
}

extension GatewayOperation where Input: RuledInput {
    package static var inputRules: JSONObject { InputRule.schema(Input.rules) }
}

// MARK: The check

extension InputRule {
    /// Reports what an input does not fulfil.
    package func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        func isWritten(_ name: String) -> Bool { section.isWritten(name) }
        func add(_ code: ConfigProblem.Code, _ name: String?, _ message: String) {
            problems.add(code, at: name.map(section.location) ?? section.location, message)
        }
        switch self {
        case .one(let names):
            let written = names.filter(isWritten)
            guard written.count != 1 else { return }
            add(
                written.isEmpty ? .missingKey : .inconsistent, written.last ?? names.first,
                "exactly one of \(names.joined(separator: ", ")) is wanted")
        case .any(let names):
            guard !names.contains(where: isWritten) else { return }
            add(.missingKey, nil, "at least one of \(names.joined(separator: ", ")) is wanted")
        case .notBoth(let first, let second):
            guard isWritten(first), isWritten(second) else { return }
            add(.inconsistent, second, "'\(first)' and '\(second)' exclude each other")
        case .needs(let name, let other):
            guard isWritten(name), !isWritten(other) else { return }
            add(.inconsistent, name, "'\(name)' needs '\(other)' beside it")
        case .needAny(let names, let others):
            guard !others.contains(where: isWritten) else { return }
            for name in names where isWritten(name) {
                add(.inconsistent, name, "'\(name)' needs one of \(others.joined(separator: ", ")) beside it")
            }
        case .objects(let names):
            for name in names where isWritten(name) && section.json(name).objectValue == nil {
                add(.wrongType, name, "'\(name)' must be an object")
            }
        case .lists(let names):
            for name in names where isWritten(name) {
                let elements = section.json(name).arrayValue
                guard elements?.allSatisfy({ $0.objectValue != nil }) != true else { continue }
                add(.wrongType, name, "'\(name)' must be a list of objects")
            }
        case .base64(let names):
            for name in names where section.optionalString(name).map({ Base64.bytes($0.utf8) == nil }) == true {
                add(.malformedValue, name, "'\(name)' is no base64")
            }
        case .needsObject(let name, let other):
            guard section.number(name) > 0, section.json(other).objectValue == nil else { return }
            add(.inconsistent, name, "'\(name)' needs an object in '\(other)' beside it")
        case .launchableApp:
            guard let app = section.optionalString("app"), !AppID(rawValue: app).isValid else { return }
            add(.malformedValue, "app", "'app' must be an app id such as CC1AD845, not '\(app)'")
        }
    }
}

// MARK: JSON Schema

extension InputRule {
    /// Several rules as members of one schema; those that a keyword of another rule stands in the way of are below `allOf`.
    package static func schema(_ rules: [InputRule]) -> JSONObject {
        var schema: JSONObject = [:]
        var others: [JSONValue] = []
        for rule in rules {
            let (keyword, own) = rule.schema
            switch (keyword, schema[keyword]) {
            case (_, nil): schema[keyword] = own
            case ("properties", .object(let known)?), ("dependentRequired", .object(let known)?):
                let both = known.members + (own.objectValue?.members ?? [])
                schema[keyword] = .object(JSONObject(both.map { ($0.name, $0.value) }))
            default: others.append(.object(JSONObject([(keyword, own)])))
            }
        }
        if !others.isEmpty { schema["allOf"] = .array(others) }
        return schema
    }

    /// The keyword of JSON Schema, and its value.
    private var schema: (String, JSONValue) {
        switch self {
        case .one(let names): ("oneOf", Self.required(names))
        case .any(let names): ("anyOf", Self.required(names))
        case .notBoth(let first, let second): ("not", ["required": [.string(first), .string(second)]])
        case .needs(let name, let other): ("dependentRequired", .object(JSONObject([(name, [.string(other)])])))
        case .needAny(let names, let others):
            ("anyOf", .array((Self.required(others).arrayValue ?? []) + [["not": ["anyOf": Self.required(names)]]]))
        case .objects(let names): Self.properties(names, ["type": "object"])
        case .lists(let names): Self.properties(names, ["type": "array", "items": ["type": "object"]])
        case .base64(let names):
            // Bits that stand for nothing are 0 (RFC 4648, 3.5).
            Self.properties(
                names,
                [
                    "pattern":
                        "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{4}|[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)$"
                ])
        case .needsObject(let name, let other):
            (
                "anyOf",
                [
                    .object(JSONObject([Self.properties([name], ["maximum": 0])])),
                    .object(
                        JSONObject([("required", [.string(other)]), Self.properties([other], ["type": "object"])])),
                ]
            )
        case .launchableApp: Self.properties(["app"], ["pattern": .string(AppID.pattern)])
        }
    }

    private static func required(_ names: [String]) -> JSONValue {
        .array(names.map { ["required": [.string($0)]] })
    }

    private static func properties(_ names: [String], _ schema: JSONValue) -> (String, JSONValue) {
        ("properties", .object(JSONObject(names.map { ($0, schema) })))
    }
}
