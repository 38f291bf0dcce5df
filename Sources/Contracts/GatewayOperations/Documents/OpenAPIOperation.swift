import CastWire
import GatewayConfig

/// One operation in an OpenAPI document.
struct OpenAPIOperation {
    private let declaration: OperationDeclaration
    private let declarations: [OperationDeclaration]
    private let takesTokens: Bool

    /// - Parameter declarations: all operations, to which links lead.
    init(_ declaration: OperationDeclaration, among declarations: [OperationDeclaration], takesTokens: Bool) {
        self.declaration = declaration
        self.declarations = declarations
        self.takesTokens = takesTokens
    }

    var json: JSONObject {
        let declaration = self.declaration
        var operation: JSONObject = [
            "operationId": .string(declaration.name.rawValue),
            "tags": [.string(declaration.tag(among: self.declarations))],
            "summary": .string(declaration.summary), "description": .string(self.description),
            "x-castway-scope": .string(declaration.scope.rawValue),
            "x-castway-reach": .string(declaration.reach.rawValue),
            "x-castway-command": .bool(declaration.isCommand),
        ]
        if self.takesTokens {
            operation["security"] = [["token": [.string(declaration.scope.rawValue)]], [:]]
        }
        let parameters = self.parameters
        if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
        let body = declaration.bodyFields
        if !body.isEmpty {
            operation["requestBody"] = [
                "required": .bool(body.contains { $0.presence == .required } || self.demandsKeys),
                "content": ["application/json": ["schema": Self.reference(declaration.inputSchemaName)]],
            ]
        }
        operation["responses"] = .object(self.responses)
        return operation
    }

    private var description: String {
        var scope = "Takes the scope `\(self.declaration.scope.rawValue)`."
        if let parts = self.declaration.scopedPartsText { scope += " \(parts)" }
        return self.declaration.details.isEmpty ? scope : "\(self.declaration.details)\n\n\(scope)"
    }

    /// Whether an input without keys is never right, though no single key has to be there.
    private var demandsKeys: Bool {
        ["anyOf", "minProperties", "oneOf", "required"].contains { self.declaration.inputRules[$0] != nil }
    }

    private static func reference(_ schema: String) -> JSONValue {
        ["$ref": .string("#/components/schemas/\(schema)")]
    }

    // MARK: Parameters

    private var parameters: [JSONValue] {
        let route = self.declaration.route
        let inPath = route.parameters.compactMap { name in self.declaration.fields.first { $0.name == name } }
        var parameters = inPath.map { self.parameter($0, in: "path") }
        if !route.method.hasBody {
            parameters += self.declaration.fields.filter { field in !inPath.contains { $0.name == field.name } }
                .map { self.parameter($0, in: "query") }
        }
        if self.declaration.isCommand {
            parameters += [
                [
                    "name": "wait", "in": "query", "required": false,
                    "description":
                        "How many seconds the call may wait for the outcome; then it is answered 202 with its request",
                    "schema": ["type": "number", "minimum": 0, "maximum": 10, "default": 10],
                ]
            ]
        }
        if self.declaration.takesIdempotencyKey {
            parameters += [
                [
                    "name": "Idempotency-Key", "in": "header", "required": false,
                    "description":
                        "Tells calls apart: of two with the same key the second is not carried out, and answered as the first",
                    "schema": [
                        "type": "string", "minLength": 1, "maxLength": 255, "pattern": #"^[\u0021-\u007E]+$"#,
                    ],
                ]
            ]
        }
        return parameters
    }

    private func parameter(_ field: ConfigField, in place: String) -> JSONValue {
        let rules = self.declaration.inputRules.object("properties")?.object(field.name)
        var schema = field.inputSchema.overlaid(with: rules ?? [:])
        schema["description"] = nil
        var parameter: JSONObject = [
            "name": .string(field.name), "in": .string(place),
            "required": .bool(place == "path" || field.presence == .required), "description": .string(field.meaning),
        ]
        switch field.schema.kind {
        case .list:
            // Its key stands once for each element.
            schema["minItems"] = 1
            parameter["schema"] = .object(schema)
        case .map, .object, .openObject, .json:
            parameter["content"] = ["application/json": ["schema": .object(schema)]]
        default: parameter["schema"] = .object(schema)
        }
        return .object(parameter)
    }

    // MARK: Answers

    private var responses: JSONObject {
        let result = self.declaration.result
        var success: JSONObject = [
            "description": .string(result.summary),
            "content": ["application/json": ["schema": Self.reference(self.declaration.resultSchemaName)]],
        ]
        let links = OpenAPILinks(from: self.declaration, to: self.declarations).json
        if !links.isEmpty { success["links"] = .object(links) }
        var responses: [(Int, JSONObject)] = [(result.status, success)]
        if self.declaration.isCommand { responses.append((202, self.accepted)) }
        let problems = Dictionary(grouping: self.problems, by: \.status)
        responses += problems.map { ($0.key, OpenAPIProblem($0.key, $0.value).json) }
        return JSONObject(responses.sorted { $0.0 < $1.0 }.map { ("\($0.0)", .object($0.1)) })
    }

    /// The command goes on: its request.
    private var accepted: JSONObject {
        let request = self.declarations.first { $0.name == "request.get" }
        return [
            "description": "The command goes on; this is its request",
            "content": [
                "application/json": [
                    "schema": request.map { Self.reference($0.resultSchemaName) } ?? ["type": "object"]
                ]
            ],
            "links": .object(OpenAPILinks.ofRequest(among: self.declarations)),
        ]
    }

    private var problems: [OperationProblemCase] {
        var problems = OpenAPIProblem.ofAll(takesTokens: self.takesTokens)
        if !self.declaration.route.parameters.isEmpty { problems.append(OpenAPIProblem.notFound) }
        if self.declaration.route.method.hasBody { problems.append(OpenAPIProblem.unsupportedMediaType) }
        if self.declaration.takesIdempotencyKey { problems.append(OpenAPIProblem.keyReused) }
        if self.declaration.isCommand { problems += OpenAPIProblem.ofCommands }
        problems += self.declaration.problems
        var known: Set<String> = []
        return problems.filter { known.insert("\($0.status) \($0.code)").inserted }
    }
}
