package import CastWire
package import GatewayConfig

/// What is known of an operation without a gateway: for documents, commands and routes.
package struct OperationDeclaration: Sendable {
    /// Its name on every way in.
    package let name: OperationName
    /// Where it is reached over HTTP.
    package let route: OperationRoute
    /// What a caller has to be allowed.
    package let scope: OperationScope
    /// Whether its calls are requests.
    package let isCommand: Bool
    /// Whether callers may send an idempotency key.
    package let takesIdempotencyKey: Bool
    /// Which devices it is about.
    package let reach: OperationReach
    /// What it does, in one line.
    package let summary: String
    /// More about it; may be empty.
    package let details: String
    /// The keys of its input.
    package let fields: [ConfigField]
    /// What inputs have to fulfil beyond what the keys say, in JSON Schema.
    package let inputRules: JSONObject
    /// The parts of its input that take another scope.
    package let scopedParts: [ScopedPart]
    /// What it answers.
    package let result: OperationResult
    /// Its problems beside those that every operation has.
    package let problems: [OperationProblemCase]

    /// Takes the declaration of a type.
    package init<Operation: GatewayOperation>(_ type: Operation.Type) {
        self.name = type.name
        self.route = type.route
        self.scope = type.scope
        self.isCommand = type.isCommand
        self.takesIdempotencyKey = type.isAnswerKept && type.route.method != .get
        self.reach = type.reach
        self.summary = type.summary
        self.details = type.details
        self.fields = type.Input.schema.fields
        self.inputRules = type.inputRules
        self.scopedParts = type.scopedParts
        self.result = type.result
        self.problems = type.problems
    }

    /// Declares an operation that is no type: a plugin's.
    /// - Parameters:
    ///   - fields: the keys of its input.
    ///   - takesIdempotencyKey: whether a call may be repeated with a key; never for `GET`.
    package init(
        name: OperationName, route: OperationRoute, scope: OperationScope, isCommand: Bool, takesIdempotencyKey: Bool,
        reach: OperationReach, summary: String, details: String = "", fields: [ConfigField], result: OperationResult,
        problems: [OperationProblemCase] = []
    ) {
        self.name = name
        self.route = route
        self.scope = scope
        self.isCommand = isCommand
        self.takesIdempotencyKey = takesIdempotencyKey && route.method != .get
        self.reach = reach
        self.summary = summary
        self.details = details
        self.fields = fields
        self.inputRules = [:]
        self.scopedParts = []
        self.result = result
        self.problems = problems
    }

    /// The problems that every operation has.
    package static let commonProblems = [
        OperationProblemCase("bad_request", 400, "the request cannot be read: no JSON, or a key in the wrong place"),
        OperationProblemCase("body_too_large", 413, "the body is longer than the listener takes"),
        OperationProblemCase(
            "invalid_input", 422, "the input is not what the operation takes; `errors` names each fault"),
        OperationProblemCase("unauthorized", 401, "a token is needed, or the one that is shown is not taken"),
        OperationProblemCase("scope_missing", 403, "the caller may not do this"),
        OperationProblemCase(
            "device_not_allowed", 403, "the caller may not use the device, or not the gateway as a whole"),
        OperationProblemCase(
            "idempotency_key_reused", 422, "the Idempotency-Key was sent with another call in the last ten minutes"),
        OperationProblemCase("too_many_requests", 429, "too many commands are under way, or too many keys are kept"),
        OperationProblemCase(
            "message_loop", 508, "a plugin asks for it because of a message that ends too long a chain of messages"),
        OperationProblemCase("rate_limited", 429, "the caller asks too often; `Retry-After` says how long to wait"),
        OperationProblemCase("unavailable", 503, "the gateway starts or stops, or has too much to do"),
    ]

    /// Reads the texts of a path, a query or a command line as the keys want them: `5` is a number where one belongs.
    /// - Returns: the input, with what cannot be read left as text, so that the check says what is wrong with it.
    /// - Throws: a problem that names each text that is no JSON where the key takes any JSON: no check would find it.
    package func input(fromTexts texts: [(name: String, value: String)]) throws(OperationProblem) -> JSONObject {
        var input = JSONObject()
        var faults: [CheckedInput.Fault] = []
        for (name, text) in texts {
            let field = self.fields.first { $0.name == name }
            guard case .list(let element, _)? = field?.schema.kind, !text.hasPrefix("[") else {
                let json = field?.schema.json(fromText: text)
                if json == nil, field?.schema.takesAnything == true { faults.append(.noJSON(text, for: name)) }
                input[name] = json ?? .string(text)
                continue
            }
            // A list is JSON, or its key stands once for each element.
            let elements = input.array(name) ?? []
            let json = element.json(fromText: text)
            if json == nil, element.takesAnything { faults.append(.noJSON(text, for: name)) }
            input[name] = .array(elements + [json ?? .string(text)])
        }
        guard faults.isEmpty else { throw .invalid(faults) }
        return input
    }

    /// The keys whose texts are JSON whatever they stand for, so that a text is written with quotes.
    package var jsonKeys: Set<String> { Set(self.fields.filter(\.schema.takesAnything).map(\.name)) }

    /// What is said of ``scopedParts`` in documents; nil when there are none.
    var scopedPartsText: String? {
        guard !self.scopedParts.isEmpty else { return nil }
        let parts = self.scopedParts.map { "`\($0.name)` takes the scope `\($0.scope.rawValue)` too" }
        return parts.joined(separator: "; ") + "."
    }

    /// Whether a key that is no list stands twice.
    package func isRepeated(in texts: [(name: String, value: String)]) -> Bool {
        let single = texts.map(\.name).filter { name in
            guard case .list? = self.fields.first(where: { $0.name == name })?.schema.kind else { return true }
            return false
        }
        return Set(single).count != single.count
    }
}

extension ConfigSchema {
    /// Whether the value may be anything that JSON can express.
    fileprivate var takesAnything: Bool { if case .json = self.kind { true } else { false } }

    /// The keys of a mapping; none for anything else.
    fileprivate var fields: [ConfigField] {
        if case .object(let fields) = self.kind { fields } else { [] }
    }

    /// What a text stands for where this is wanted; nil for the text itself.
    fileprivate func json(fromText text: String) -> JSONValue? {
        switch self.kind {
        case .boolean:
            switch text {
            case "true", "": .bool(true)
            case "false": .bool(false)
            default: nil
            }
        case .integer, .number:
            if case .number(let number)? = try? JSONReader.read(text) { .number(number) } else { nil }
        case .list, .map, .object, .openObject, .json: try? JSONReader.read(text)
        case .oneOf(let alternatives): alternatives.lazy.compactMap { $0.fittingJSON(fromText: text) }.first
        default: nil
        }
    }

    /// The same where another kind may be meant: a number that is out of range is none.
    private func fittingJSON(fromText text: String) -> JSONValue? {
        let json = self.json(fromText: text)
        return switch self.kind {
        case .integer(let range): json?.intValue.map { range.contains($0) } == true ? json : nil
        case .number(let range): json?.doubleValue.map { range.contains($0) } == true ? json : nil
        default: json
        }
    }
}
