import CastWire
import GatewayCore
import GatewayJournal
import GatewayOperations

/// One message of the AsyncAPI document.
struct AsyncAPIMessage {
    /// The name of the message that clients of the WebSocket get when nothing happens.
    static let bookmark = "frame.bookmark"

    /// Its name in the document.
    let name: String
    /// What it says, in one line.
    let summary: String
    private let payload: JSONObject
    private let extensions: JSONObject

    /// A message of any kind.
    /// - Parameter payload: its JSON Schema.
    init(_ name: String, _ summary: String, payload: JSONObject, extensions: JSONObject = [:]) {
        self.name = name
        self.summary = summary
        self.payload = payload
        self.extensions = extensions
    }

    /// The message as it stands in the document.
    var json: JSONObject {
        var json: JSONObject = [
            "name": .string(self.name), "title": .string(self.name), "summary": .string(self.summary),
        ]
        for member in self.extensions.members { json[member.name] = member.value }
        json["payload"] = .object(self.payload)
        return json
    }

    // MARK: Events

    /// An event of the catalogue.
    init(_ declaration: EventDeclaration) {
        self.init(declaration, type: ["const": .string(declaration.name)])
    }

    /// An event that a plugin or a handler names itself.
    /// - Parameter names: those of the catalogue, which it cannot have.
    init(customBeside names: [String]) {
        self.init(
            EventCatalogue.custom, type: ["type": "string", "not": ["enum": .array(names.map { .string($0) })]])
    }

    private init(_ declaration: EventDeclaration, type: JSONValue) {
        var properties: JSONObject = [
            "boot": ["type": "string", "description": "The run of the gateway"],
            "seq": ["type": "integer", "minimum": 1, "description": "The number of the event in the run"],
            "at": ["type": "string", "format": "date-time", "description": "When it happened"], "type": type,
        ]
        var required: [JSONValue] = ["boot", "seq", "at", "type", "data"]
        if declaration.subject != .gateway {
            properties["device"] = ["type": "string", "description": .string("A \(declaration.subject.words)")]
            if case .any = declaration.subject {} else { required.append("device") }
        }
        if declaration.resource != nil {
            properties["frame"] = ["const": "snapshot", "description": "Only in a snapshot"]
            properties["rev"] = ["type": "integer", "minimum": 1, "description": "The revision of the resource"]
            required.append("rev")
        }
        if declaration.mayHaveCause {
            properties["cause"] = [
                "type": "object", "description": "What the event comes of, where that is known",
                "required": ["request"],
                "properties": ["request": ["type": "string", "description": "The request of a caller"]],
                "additionalProperties": false,
            ]
        }
        properties["data"] = .object(OpenAPIResult.schema(declaration.members))
        var extensions: JSONObject = ["x-castway-scope": .string(declaration.scope.rawValue)]
        if let resource = declaration.resource { extensions["x-castway-resource"] = .string(resource.rawValue) }
        self.init(
            declaration.name, declaration.summary,
            payload: [
                "type": "object", "properties": .object(properties), "required": .array(required),
                "additionalProperties": false,
            ], extensions: extensions)
    }

    // MARK: Other frames

    /// A frame that is no event; nil for events and for those that snapshots are made of.
    init?(_ kind: JournalFrame.Kind) {
        let seq = OperationResult.Member("seq", .integer, "The number of the newest event that the reader has")
        let count = OperationResult.Member("count", .integer, "How many")
        switch kind {
        case .event, .snapshot: return nil
        case .hello:
            self.init(
                kind.rawValue, "The first frame",
                [
                    .init("boot", .text, "The run of the gateway"),
                    .init("seq", .integer, "The number of the newest event"),
                    .init("oldest", .integer, "The number of the oldest event that can be had again"),
                    .init("features", .list(.text), "What the stream can do"),
                ])
        case .synced: self.init(kind.rawValue, "The reader has everything up to here", [seq])
        case .bookmark: self.init(kind.rawValue, "Nothing has happened for ten seconds", [seq])
        case .coalesced:
            self.init(
                kind.rawValue, "The next event stands for several before it",
                [.init("type", .text, "Its type"), .optional("device", .text, "Its device"), count])
        case .gap:
            self.init(
                kind.rawValue, "Log events are lost to the reader",
                [.init("from", .integer, "The first number"), .init("to", .integer, "The last number"), count])
        case .resync:
            self.init(
                kind.rawValue, "What was missed is not there any more, and a snapshot follows",
                [.init("reason", .word(["other_boot", "too_old", "ahead"]), "Why")])
        }
    }

    /// The last frame of a reader that the gateway lets go.
    static let end = AsyncAPIMessage(
        "end", "The gateway ends the stream",
        [
            .init("reason", .text, "Why: `too_slow`, `stopping`, `revoked`"),
            .optional("resume", .text, "The position to come back from"),
        ])

    private init(_ frame: String, _ summary: String, _ members: [OperationResult.Member]) {
        let frameMember = OperationResult.Member("frame", .word([frame]), "Which frame it is")
        self.init("frame.\(frame)", summary, payload: OpenAPIResult.schema([frameMember] + members))
    }
}
