import CastWire

/// The links of an answer in an OpenAPI document: operations that take what the answer names.
///
/// A session's `id` leads to every operation with `{session}` in its path, and the first element of `sessions` does too.
struct OpenAPILinks {
    private let source: OperationDeclaration
    private let targets: [OperationDeclaration]

    init(from source: OperationDeclaration, to targets: [OperationDeclaration]) {
        self.source = source
        self.targets = targets
    }

    /// The links by the names of the operations that they lead to.
    var json: JSONObject {
        var links: [(String, JSONValue)] = []
        for target in self.targets where target.name != self.source.name {
            let parameters = target.route.parameters
            guard let parameter = parameters.first, parameters.count == 1, let place = self.place(of: parameter) else {
                continue
            }
            links.append((target.name.rawValue, Self.link(to: target, parameter, place)))
        }
        return JSONObject(links)
    }

    /// The links of a command's request.
    static func ofRequest(among targets: [OperationDeclaration]) -> JSONObject {
        JSONObject(
            targets.filter { $0.route.parameters == ["request"] }.map {
                ($0.name.rawValue, self.link(to: $0, "request", "/request"))
            })
    }

    private static func link(to target: OperationDeclaration, _ parameter: String, _ place: String) -> JSONValue {
        [
            "operationId": .string(target.name.rawValue),
            "parameters": .object(JSONObject([(parameter, .string("$response.body#\(place)"))])),
        ]
    }

    /// Where in the answer the value of a parameter is; nil where there is none.
    private func place(of parameter: String) -> String? {
        let members = self.source.result.members
        let family = self.source.name.family
        if family == parameter || family.hasSuffix("_\(parameter)"), let key = Self.key(members) { return "/\(key)" }
        for member in members {
            guard member.name == "\(parameter)s" || member.name.hasSuffix("_\(parameter)s"),
                case .list(.object(let element)) = member.kind, let key = Self.key(element)
            else { continue }
            return "/\(member.name)/0/\(key)"
        }
        return nil
    }

    /// What names a resource among its members.
    private static func key(_ members: [OperationResult.Member]) -> String? {
        ["id", "name"].first { key in members.contains { $0.name == key && !$0.isOptional } }
    }
}
