package import CastWire
import GatewayConfig

/// The OpenAPI 3.1 document of a catalogue: what clients, their generators and testers of interfaces read.
///
/// It is made from the declarations alone, so it says what is checked and what comes, and the same declarations make the same text.
package struct OpenAPIDocument: Sendable {
    private static let introduction = """
        What a running gateway does for its callers. Every operation has a name, which is the same at the terminal (`castway call`), on the \
        WebSocket and in `operationId` here.

        A refusal is a problem detail (RFC 9457): `code` is what programs compare, `detail` says what is wrong in a sentence, and `errors` names \
        each fault of the input by its JSON pointer. Keys that an operation does not know are refused. Times are seconds.

        Paths without an `operationId` are no operations: the snapshot of what holds, and the streams that tell what happens.
        """

    private let declarations: [OperationDeclaration]
    private let version: String
    private let takesTokens: Bool

    /// Describes the operations of a gateway.
    /// - Parameters:
    ///   - declarations: the operations.
    ///   - version: the version of Castway.
    ///   - takesTokens: whether callers show tokens, as they do everywhere but at the admin listener.
    package init(_ declarations: [OperationDeclaration], version: String, takesTokens: Bool) {
        self.declarations = declarations.sorted { $0.name.rawValue < $1.name.rawValue }
        self.version = version
        self.takesTokens = takesTokens
    }

    package var json: JSONObject {
        let families = (self.families + [OpenAPIStreams.tag]).map { JSONValue.object(["name": .string($0)]) }
        var document: JSONObject = [
            "openapi": "3.1.0",
            "info": [
                "title": "Castway", "version": .string(self.version),
                "summary": "The operations of a Cast gateway", "description": .string(Self.introduction),
                "license": ["name": "Apache-2.0", "identifier": "Apache-2.0"],
            ],
            "servers": [["url": "/", "description": "The listener that served this document"]],
            "tags": .array(families), "paths": .object(self.paths),
        ]
        // Without tokens configured a caller on the gateway's own machine needs none.
        if self.takesTokens { document["security"] = [["token": []], [:]] }
        document["components"] = .object(self.components)
        return document
    }

    /// The document as text that is comfortable to read.
    package var text: String { JSONValue.object(self.json).text(indented: true) + "\n" }

    private var families: [String] {
        self.declarations.map { $0.tag(among: self.declarations) }.reduce(into: []) { tags, tag in
            if !tags.contains(tag) { tags.append(tag) }
        }
    }

    private var paths: JSONObject {
        var paths: [String: [(OperationRoute.Method, JSONObject)]] = [:]
        for declaration in self.declarations {
            let operation = OpenAPIOperation(
                declaration, among: self.declarations, takesTokens: self.takesTokens)
            paths[OperationRoute.prefix + declaration.route.path, default: []]
                .append((declaration.route.method, operation.json))
        }
        let operations = paths.map { path, operations in
            let methods = OperationRoute.Method.allCases.flatMap { method in
                operations.filter { $0.0 == method }.map {
                    (method.rawValue.lowercased(), JSONValue.object($0.1))
                }
            }
            return (path: path, item: JSONObject(methods))
        }
        let streams = OpenAPIStreams(takesTokens: self.takesTokens).paths
        return JSONObject((operations + streams).sorted { $0.path < $1.path }.map { ($0.path, .object($0.item)) })
    }

    private var components: JSONObject {
        var schemas: [(String, JSONValue)] = [("Problem", .object(OpenAPIProblem.schema))] + OpenAPIStreams.schemas
        for declaration in self.declarations {
            let body = declaration.bodyFields
            if !body.isEmpty {
                let schema = ConfigField.inputSchema(body).overlaid(with: declaration.inputRules)
                schemas.append((declaration.inputSchemaName, .object(schema)))
            }
            var result = OpenAPIResult.schema(declaration.result.members)
            if declaration.result.isOpen { result["additionalProperties"] = nil }
            result["description"] = .string(declaration.result.summary)
            schemas.append((declaration.resultSchemaName, .object(result)))
        }
        var components: JSONObject = [
            "schemas": .object(JSONObject(schemas)),
            "responses": .object(OpenAPIProblem.components(takesTokens: self.takesTokens)),
        ]
        if self.takesTokens {
            components["securitySchemes"] = [
                "token": [
                    "type": "http", "scheme": "bearer", "bearerFormat": "cwt_…",
                    "description": "A token of the gateway. The scopes of an operation are those of the token.",
                ]
            ]
        }
        return components
    }
}

extension OperationDeclaration {
    /// What it is listed under: its family, or the plural of that where there is one, as of `plugin.get` and `plugins.list`.
    func tag(among declarations: [OperationDeclaration]) -> String {
        let plural = self.name.family + "s"
        return declarations.contains { $0.name.family == plural } ? plural : self.name.family
    }

    /// The keys that stand in the body of a request over HTTP.
    var bodyFields: [ConfigField] {
        guard self.route.method.hasBody else { return [] }
        let inPath = Set(self.route.parameters)
        return self.fields.filter { !inPath.contains($0.name) }
    }

    /// What the schema of the body is called.
    var inputSchemaName: String { self.typeName + "Input" }

    /// What the schema of the answer is called.
    var resultSchemaName: String { self.typeName + "Result" }

    /// `SessionStart` for `session.start`.
    private var typeName: String {
        self.name.rawValue.split { ".-_".contains($0) }
            .map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
}

extension JSONObject {
    /// The object with the members of another laid over its own: objects in both become one, and all else is replaced.
    func overlaid(with other: JSONObject) -> JSONObject {
        var result = self
        for (name, value) in other.members {
            if case .object(let own)? = self[name], case .object(let above) = value {
                result[name] = .object(own.overlaid(with: above))
            } else {
                result[name] = value
            }
        }
        return result
    }
}
