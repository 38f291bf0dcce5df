import CastWire
import GatewayJournal
import GatewayOperations

/// What clients of the WebSocket send, and how they are answered, as messages of the AsyncAPI document.
enum SocketMessages {
    /// A frame of the client, and what it is answered with when it is not refused.
    struct Exchange {
        let request: AsyncAPIMessage
        let answer: AsyncAPIMessage
    }

    /// All exchanges.
    static let exchanges: [Exchange] = [
        Exchange(
            request: Self.request(
                "auth", "Says who the client is; only as the first frame",
                [
                    "type": "object", "required": ["token"], "additionalProperties": false,
                    "properties": ["token": ["type": "string", "minLength": 1, "maxLength": 1024]],
                ], needsID: false),
            answer: Self.answer(
                "auth", "The token is taken",
                OpenAPIResult.schema([
                    .init("caller", .text, "The name of the token"), .init("scopes", .list(.text), "What it may"),
                ]), needsID: false)),
        Exchange(
            request: Self.request(
                "call", "Calls an operation",
                ["type": "string", "minLength": 1, "maxLength": 64, "description": "A name of the OpenAPI document"],
                beside: [
                    "input": ["type": "object", "description": "What the operation takes"],
                    "wait": [
                        "type": "number", "minimum": 0, "maximum": 10, "description": "Seconds; of commands",
                    ],
                    "idempotency_key": ["type": "string", "minLength": 1, "maxLength": 255],
                ]),
            answer: Self.answer(
                "call", "The operation is done, or under way",
                ["type": "object", "description": "What the OpenAPI document says of the operation"])),
        Exchange(
            request: Self.request("subscribe", "Begins to receive events", Self.subscription),
            answer: Self.answer(
                "subscribe", "The frames of the subscription follow",
                [
                    "type": "object", "required": ["subscribed"], "additionalProperties": false,
                    "properties": ["subscribed": ["const": true]],
                ])),
        Exchange(
            request: Self.request("unsubscribe", "Ends the subscription", ["const": true]),
            answer: Self.answer(
                "unsubscribe", "No more frames follow",
                [
                    "type": "object", "required": ["subscribed"], "additionalProperties": false,
                    "properties": [
                        "subscribed": ["const": false],
                        "resume": ["type": "string", "description": "The position to go on from"],
                    ],
                ])),
    ]

    /// A frame of the client was refused, or what it asked for was not done.
    static let problem = AsyncAPIMessage(
        "problem", "A frame is refused, or a call failed",
        payload: [
            "type": "object", "required": ["problem"], "additionalProperties": false,
            "properties": ["id": Self.id, "problem": ["$ref": "#/components/schemas/Problem"]],
        ])

    /// The messages of all exchanges, and the problem.
    static var all: [AsyncAPIMessage] { Self.exchanges.flatMap { [$0.request, $0.answer] } + [Self.problem] }

    /// A pattern or a namespace of a topic.
    static let topicText: JSONObject = [
        "type": "string", "minLength": 1, "maxLength": .number(EventTopics.maximumText),
    ]

    private static let id: JSONValue = [
        "description": "Chosen by the client; the answer has the same",
        "anyOf": [
            ["type": "integer"], ["type": "string", "minLength": 1, "maxLength": .number(ClientFrame.maximumID)],
        ],
    ]

    private static let subscription: JSONObject = [
        "type": "object", "additionalProperties": false,
        "properties": [
            "topics": [
                "type": "array", "minItems": 1, "maxItems": .number(EventTopics.maximumCount),
                "items": [
                    "type": "object", "additionalProperties": false,
                    "properties": [
                        "type": .object(Self.topicText), "device": .object(Self.topicText),
                        "namespace": .object(Self.topicText),
                    ],
                ],
            ],
            "from": ["type": "string", "description": "The position to go on from: BOOT.SEQ"],
        ],
    ]

    private static func request(
        _ verb: String, _ summary: String, _ schema: JSONObject, beside others: JSONObject = [:], needsID: Bool = true
    ) -> AsyncAPIMessage {
        let required: [JSONValue] = needsID ? ["id", .string(verb)] : [.string(verb)]
        return AsyncAPIMessage(
            verb, summary,
            payload: [
                "type": "object", "required": .array(required), "additionalProperties": false,
                "properties": .object(
                    JSONObject([("id", Self.id), (verb, .object(schema))] + others.members.map { ($0.name, $0.value) })),
            ])
    }

    private static func answer(
        _ verb: String, _ summary: String, _ result: JSONObject, needsID: Bool = true
    ) -> AsyncAPIMessage {
        AsyncAPIMessage(
            "\(verb).result", summary,
            payload: [
                "type": "object", "required": needsID ? ["id", "result", "status"] : ["result", "status"],
                "additionalProperties": false,
                "properties": [
                    "id": Self.id, "result": .object(result),
                    "status": ["type": "integer", "description": "As the HTTP status of the answer"],
                ],
            ])
    }
}
