import CastWire

/// The refusals of one status in an OpenAPI document.
///
/// What all operations have in common is described once, under `components`.
struct OpenAPIProblem {
    /// The problems that HTTP adds to those of every operation.
    private static let ofTransport = [
        OperationProblemCase("host_not_allowed", 403, "the `Host` of the request is no name of the gateway"),
        OperationProblemCase("origin_not_allowed", 403, "a page of another site asks"),
        OperationProblemCase("internal_error", 500, "a fault of the gateway, which its log tells of under `id`"),
    ]
    /// Of operations that change something, which may be told apart by a key.
    static let keyReused = OperationProblemCase(
        "idempotency_key_reused", 422, "the `Idempotency-Key` was used with another input")
    static let ofCommands = [
        OperationProblemCase("too_many_requests", 429, "too many commands are under way"),
        OperationProblemCase("cancelled", 503, "the request was taken back, or the gateway stops"),
        OperationProblemCase("outcome_unknown", 504, "the device was asked, and what came of it is not known"),
    ]
    private static let unauthorized = OperationProblemCase(
        "unauthorized", 401, "the token is missing, unknown, expired or revoked")
    /// Of operations with keys in the path.
    static let notFound = OperationProblemCase("not_found", 404, "a part of the path is empty")
    /// Of operations whose input is in the body.
    static let unsupportedMediaType = OperationProblemCase(
        "unsupported_media_type", 415, "the body is said to be something else than JSON")

    /// The schema of a problem detail (RFC 9457).
    static let schema: JSONObject = [
        "type": "object", "description": "Why an operation was not done (RFC 9457)",
        "required": ["type", "status", "code", "detail"],
        "properties": [
            "type": ["const": "about:blank"], "status": ["type": "integer", "description": "The HTTP status"],
            "code": ["type": "string", "description": "What went wrong, in a word that never changes"],
            "detail": ["type": "string", "description": "What went wrong, in a sentence with names and values"],
            "localized_description": [
                "type": "string",
                "description":
                    "What the failure of a device or a session means, in the language that `Accept-Language` prefers, or that the configuration says for MQTT",
            ],
            "errors": [
                "type": "array", "description": "What is wrong with the input",
                "items": [
                    "type": "object", "required": ["pointer", "code", "detail"],
                    "properties": [
                        "pointer": ["type": "string", "description": "The JSON pointer of the value (RFC 6901)"],
                        "code": ["type": "string", "description": "The kind of fault"],
                        "detail": ["type": "string", "description": "What is wrong with the value"],
                        "hint": ["type": "string", "description": "What to do about it"],
                    ], "additionalProperties": false,
                ],
            ],
        ],
    ]

    private let status: Int
    private let problems: [OperationProblemCase]

    /// - Parameter problems: those of the status, in the order in which they are described.
    init(_ status: Int, _ problems: [OperationProblemCase]) {
        self.status = status
        self.problems = problems
    }

    /// The answers that operations have in common, by the names that they are referred to.
    static func components(takesTokens: Bool) -> JSONObject {
        let statuses = self.common.keys.sorted().filter { takesTokens || $0 != self.unauthorized.status }
        return JSONObject(
            statuses.map { (self.name($0), .object(OpenAPIProblem($0, self.common[$0] ?? []).response)) })
    }

    private static let common = Dictionary(
        grouping: Self.ofAll(takesTokens: true) + [Self.unsupportedMediaType], by: \.status)

    /// The problems of every operation over HTTP.
    static func ofAll(takesTokens: Bool) -> [OperationProblemCase] {
        let declared = OperationDeclaration.commonProblems.filter { $0.status != self.unauthorized.status }
        return declared + self.ofTransport + (takesTokens ? [self.unauthorized] : [])
    }

    private static func name(_ status: Int) -> String { "Problem\(status)" }

    /// The answer, or where it is described.
    var json: JSONObject {
        guard Self.common[self.status] == self.problems else { return self.response }
        return ["$ref": .string("#/components/responses/\(Self.name(self.status))")]
    }

    private var response: JSONObject {
        let meanings = self.problems.map { "`\($0.code)`: \($0.meaning)" }
        let codes = JSONValue.array(self.problems.map { .string($0.code) })
        return [
            "description": .string(meanings.joined(separator: "\n\n")),
            "content": [
                "application/problem+json": [
                    "schema": [
                        "allOf": [["$ref": "#/components/schemas/Problem"]],
                        "properties": ["status": ["const": .number(self.status)], "code": ["enum": codes]],
                    ]
                ]
            ],
        ]
    }
}
