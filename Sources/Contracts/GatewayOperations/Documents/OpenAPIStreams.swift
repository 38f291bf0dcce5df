import CastWire

/// The paths of an OpenAPI document that are no operations: the snapshot, and the streams that tell what happens. What they say stands in
/// the AsyncAPI document; here they are for readers who begin with this one.
struct OpenAPIStreams {
    /// What they are listed under.
    static let tag = "events"
    /// What the snapshot is called among the schemas.
    private static let stateSchema = "State"

    let takesTokens: Bool

    /// The paths, each with what it has for `GET`.
    var paths: [(path: String, item: JSONObject)] {
        [
            ("\(OperationRoute.prefix)/events", ["get": .object(self.events)]),
            ("\(OperationRoute.prefix)/socket", ["get": .object(self.socket)]),
            ("\(OperationRoute.prefix)/state", ["get": .object(self.state)]),
        ]
    }

    /// The schemas that they refer to.
    static let schemas: [(String, JSONValue)] = [
        (
            Self.stateSchema,
            [
                "type": "object", "description": "What holds now, and the number of the event that it stands at",
                "required": ["boot", "seq", "resources"],
                "properties": [
                    "boot": ["type": "string", "description": "Which run of the gateway"],
                    "seq": ["type": "integer", "minimum": 0, "description": "The number of the last event in it"],
                    "resources": [
                        "type": "object", "description": "The latest state events of each kind of resource",
                        "additionalProperties": ["type": "array", "items": ["type": "object"]],
                    ],
                ],
            ]
        )
    ]

    private var events: JSONObject {
        var item = self.item(
            "Tells what happens, as server-sent events",
            "A snapshot of what holds, and then events as they happen, until the reader hangs up. `/asyncapi.json` describes the frames. `id:` is the "
                + "position; a reader that comes back sends it as `Last-Event-ID`, and gets what it missed.")
        let text: JSONObject = ["type": "string", "minLength": 1, "maxLength": 256]
        func list(_ name: String, _ meaning: String) -> JSONValue {
            [
                "name": .string(name), "in": "query", "required": false, "description": .string(meaning),
                "schema": ["type": "array", "items": .object(text), "minItems": 1, "maxItems": 64],
            ]
        }
        func position(_ name: String, in place: String) -> JSONValue {
            [
                "name": .string(name), "in": .string(place), "required": false,
                "description": "The position that the reader has had last: `BOOT.SEQ`",
                "schema": ["type": "string", "maxLength": 64, "pattern": #"^[^.]+\.[0-9]+$"#],
            ]
        }
        item["parameters"] = [
            list("type", "Types of events, with `*` for any characters; all without it"),
            list("device", "Devices, with `*` for any characters; all without it"),
            list("namespace", "Namespaces whose custom messages are wanted"), position("from", in: "query"),
            position("Last-Event-ID", in: "header"),
        ]
        item["responses"] = .object(
            self.responses(
                200,
                [
                    "description": "The stream",
                    "content": ["text/event-stream": ["schema": ["type": "string"]]],
                ]))
        return item
    }

    private var socket: JSONObject {
        var item = self.item(
            "Opens the WebSocket, for calls and events",
            "The handshake of RFC 6455. A call is `{\"id\": 1, \"call\": \"gateway.get\", \"input\": {}}`; `subscribe` begins the stream of events. "
                + "`/asyncapi.json` describes the frames. The token stands in the header, in the first frame, or in the sub-protocol "
                + "`castway.token.TOKEN` beside `castway.v1`.")
        var responses = self.responses(101, ["description": "The connection is a WebSocket from here on"])
        responses["426"] = .object(
            OpenAPIProblem(426, [OperationProblemCase("upgrade_required", 426, "the path takes WebSockets alone")]).json
        )
        item["responses"] = .object(responses)
        return item
    }

    private var state: JSONObject {
        var item = self.item(
            "Shows what holds now",
            "The snapshot that the streams begin with, with its `seq`: a reader of the stream can go on from `BOOT.SEQ`."
        )
        item["responses"] = .object(
            self.responses(
                200,
                [
                    "description": "What holds",
                    "content": [
                        "application/json": ["schema": ["$ref": .string("#/components/schemas/\(Self.stateSchema)")]]
                    ],
                ]))
        return item
    }

    private func item(_ summary: String, _ description: String) -> JSONObject {
        var item: JSONObject = [
            "tags": [.string(Self.tag)], "summary": .string(summary),
            "description": .string("\(description)\n\nTakes the scope `read`."),
            "x-castway-scope": .string(OperationScope.read.rawValue),
        ]
        if self.takesTokens { item["security"] = [["token": [.string(OperationScope.read.rawValue)]], [:]] }
        return item
    }

    /// An answer, and the problems of every path that is read.
    private func responses(_ status: Int, _ success: JSONObject) -> JSONObject {
        let problems = Dictionary(
            grouping: OpenAPIProblem.ofAll(takesTokens: self.takesTokens).filter { $0.status != 422 }, by: \.status)
        var responses = problems.map { ($0.key, OpenAPIProblem($0.key, $0.value).json) }
        responses.append((status, success))
        return JSONObject(responses.sorted { $0.0 < $1.0 }.map { ("\($0.0)", .object($0.1)) })
    }
}
