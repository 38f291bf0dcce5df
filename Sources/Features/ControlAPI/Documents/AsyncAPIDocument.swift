package import CastWire
import GatewayConfig
package import GatewayCore
import GatewayJournal
import GatewayOperations

/// The AsyncAPI 3 document of the gateway: the frames of the WebSocket and of the stream of server-sent events, in both directions.
///
/// It is made from the declarations of events, as the OpenAPI document is made from those of operations. Operations are named from the
/// gateway's side: it receives what clients send.
package struct AsyncAPIDocument: Sendable {
    private static let introduction = """
        What happens in a gateway, as one stream with one numbering. A reader gets `hello`, a snapshot of what holds, `synced`, and then events as \
        they happen. A reader that comes back names the position that it has had last (`BOOT.SEQ`), and gets what it missed, or `resync` and a \
        new snapshot.

        State events are the latest value of a resource: a slow reader gets the newest, and `coalesced` says how many were left out before it. A \
        snapshot is made of them, each with `frame` as its first member. Log events come once each, or `gap` says how many were lost.
        """
    private static let socket = "socket"
    private static let stream = "stream"

    private let declarations: [EventDeclaration]
    private let version: String

    /// Describes the events of a gateway.
    /// - Parameters:
    ///   - declarations: the events.
    ///   - version: the version of Castway.
    package init(_ declarations: [EventDeclaration], version: String) {
        self.declarations = declarations.sorted { $0.name < $1.name }
        self.version = version
    }

    package var json: JSONObject {
        [
            "asyncapi": "3.0.0",
            "info": [
                "title": "Castway events", "version": .string(self.version),
                "description": .string(Self.introduction),
                "license": ["name": "Apache-2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0"],
            ],
            "defaultContentType": "application/json", "channels": .object(self.channels),
            "operations": .object(self.operations),
            "components": [
                "messages": .object(JSONObject((self.told + SocketMessages.all).map { ($0.name, .object($0.json)) })),
                "schemas": ["Problem": .object(OpenAPIResult.problem)],
            ],
        ]
    }

    /// The document as text that is comfortable to read.
    package var text: String { JSONValue.object(self.json).text(indented: true) + "\n" }

    /// What readers are told.
    private var told: [AsyncAPIMessage] {
        let custom = EventCatalogue.custom.name
        let named = self.declarations.filter { $0.name != custom }
        return named.map { AsyncAPIMessage($0) }
            + [AsyncAPIMessage(customBeside: named.map(\.name))]
            + JournalFrame.Kind.allCases.compactMap { AsyncAPIMessage($0) }
            + [AsyncAPIMessage.end]
    }

    /// Bookmarks come as comments there, which have no data.
    private var streamed: [AsyncAPIMessage] { self.told.filter { $0.name != AsyncAPIMessage.bookmark } }

    // MARK: Channels

    private var channels: JSONObject {
        [
            Self.socket: [
                "address": "/api/v1/socket", "title": "The WebSocket",
                "description":
                    "Each frame is a JSON object in one text message. What readers are told comes after `subscribe`.",
                "messages": Self.messages(self.told + SocketMessages.all),
                "bindings": ["ws": ["method": "GET", "bindingVersion": "0.1.0"]],
            ],
            Self.stream: [
                "address": "/api/v1/events", "title": "Server-sent events",
                "description": .string(
                    "`data:` is the frame, `id:` the position of the reader, and `event:` the member `frame`, which events do not have. A bookmark is a comment with an `id:`."
                ),
                "messages": Self.messages(self.streamed),
            ],
        ]
    }

    private static func messages(_ messages: [AsyncAPIMessage]) -> JSONValue {
        .object(
            JSONObject(messages.map { ($0.name, Self.reference("#/components/messages/\($0.name)")) }))
    }

    private static func reference(_ place: String) -> JSONValue { ["$ref": .string(place)] }

    // MARK: Operations

    private var operations: JSONObject {
        let requests = SocketMessages.exchanges.map { exchange -> (String, JSONValue) in
            let answers = [exchange.answer, SocketMessages.problem]
            var operation = Self.operation("receive", Self.socket, [exchange.request], exchange.request.summary)
            operation["reply"] = [
                "channel": Self.reference("#/channels/\(Self.socket)"),
                "messages": Self.choice(answers, in: Self.socket),
            ]
            return (exchange.request.name, .object(operation))
        }
        var stream = Self.operation("send", Self.stream, self.streamed, "Tells a reader what happens")
        stream["bindings"] = [
            "http": ["method": "GET", "query": .object(Self.query), "bindingVersion": "0.3.0"]
        ]
        let socket = Self.operation("send", Self.socket, self.told, "Tells a subscriber what happens")
        return JSONObject(requests + [("tell", .object(socket)), ("stream", .object(stream))])
    }

    private static func operation(
        _ action: String, _ channel: String, _ messages: [AsyncAPIMessage], _ summary: String
    ) -> JSONObject {
        [
            "action": .string(action), "channel": self.reference("#/channels/\(channel)"),
            "summary": .string(summary), "messages": self.choice(messages, in: channel),
        ]
    }

    private static func choice(_ messages: [AsyncAPIMessage], in channel: String) -> JSONValue {
        .array(messages.map { self.reference("#/channels/\(channel)/messages/\($0.name)") })
    }

    private static let query: JSONObject = {
        let texts: JSONValue = ["type": "array", "items": .object(SocketMessages.topicText)]
        return [
            "type": "object", "additionalProperties": false,
            "properties": ["type": texts, "device": texts, "namespace": texts, "from": ["type": "string"]],
        ]
    }()
}
