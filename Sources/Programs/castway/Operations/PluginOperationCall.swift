import CastWire
import GatewayApp
import GatewayOperations

/// An operation of a plugin of the running gateway, which alone knows what it takes.
struct PluginOperationCall {
    let name: String
    let route: OperationRoute
    /// Whether its calls are requests.
    let isCommand: Bool
    /// What there is to say of it, in Markdown.
    let text: String
    private let properties: JSONObject

    /// Asks the running gateway for an operation of one of its plugins.
    /// - Returns: nil when the name is none of a plugin's, or there is no such plugin or operation.
    /// - Throws: ``CommandFailure`` when no gateway answers.
    static func find(_ name: String, _ control: ControlOption) async throws -> PluginOperationCall? {
        guard OperationName(name) != nil, let point = name.lastIndex(of: "."),
            !BuiltInOperations.all.contains(where: { $0.name.family == OperationName(name)?.family })
        else { return nil }
        let outcome = try await OperationRequest(control).outcome(
            of: "plugin.get", ["plugin": .string(String(name[..<point]))])
        guard case .success(let plugin) = outcome else { return nil }
        let operations = plugin[at: PluginDetailsResult.fields.operations] ?? []
        return operations.first { $0[at: PluginOperationResult.fields.name] == name }.flatMap {
            PluginOperationCall($0)
        }
    }

    private init?(_ json: JSONObject) {
        let fields = PluginOperationResult.fields
        guard let name = json[at: fields.name], let path = json[at: fields.path], path.hasPrefix(OperationRoute.prefix),
            let method = json[at: fields.method].flatMap(OperationRoute.Method.init(rawValue:))
        else { return nil }
        self.name = name
        self.route = OperationRoute(method, String(path.dropFirst(OperationRoute.prefix.count)))
        self.isCommand = json[at: fields.isCommand] ?? false
        self.text = json[at: fields.text] ?? ""
        self.properties = json[at: fields.input]?.object("properties") ?? [:]
    }

    /// The first key of the input.
    var firstKey: String? { self.properties.members.first?.name }

    /// The keys that take any JSON.
    var jsonKeys: Set<String> { Set(self.properties.members.filter { Self.takesAnything($0.value) }.map(\.name)) }

    private static func takesAnything(_ schema: JSONValue) -> Bool {
        guard let schema = schema.objectValue else { return false }
        return ["type", "enum", "anyOf"].allSatisfy { schema[$0] == nil }
    }

    /// Reads texts as the keys want them: a key that is a text gets the text, others get JSON. What is no JSON stays a text, and the
    /// gateway says what is wrong with it.
    /// - Throws: ``CommandFailure`` for what is no JSON where any JSON is taken: the gateway would find nothing wrong with it.
    func input(fromTexts texts: [(name: String, value: String)]) throws -> JSONObject {
        let jsonKeys = self.jsonKeys
        return JSONObject(
            try texts.map { name, value in
                let type = self.properties.object(name)?.string("type")
                let json = type == "string" ? nil : try? JSONReader.read(value)
                guard json != nil || !jsonKeys.contains(name) else {
                    throw CommandFailure(
                        .usage, "'\(name)' must be JSON, not '\(value)'; a text has quotes, as in \"word\"")
                }
                return (name, json ?? .string(value))
            })
    }
}
