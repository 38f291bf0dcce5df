import CastWire
import GatewayConfig
import GatewayJournal
import GatewayOperations
import MessageBridges
import NIOCore
import StateStore

/// `outbox.list`
struct ListOutbox: GatewayOperation {
    struct Input: OutboxInput {
        var destination: String?
        var device: String?
        var state: OutboxMessageState?
        var after: String?
        var limit = 100

        static let keys: [Key] =
            Self.selectionKeys + [
                .optional("after", \.after, .text(maximumBytes: 64), "Those behind this one, by its id"),
                Key("limit", \.limit, .integer(1...1000), "How many"),
            ]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "outbox.list"
    static let route = OperationRoute(.get, "/outbox")
    static let scope = OperationScope.admin
    static let reach = OperationReach.gateway
    static let summary = "Lists messages that have not arrived at their bridge yet, or were given up"
    static let result = OperationResult(
        "The messages",
        [
            .init("messages", .list(.object(OutboxMessageJSON.members)), "The oldest first"),
            .init("more", .boolean, "Whether there are more behind them"),
        ])

    /// Has them.
    let outbox: Outbox

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let entries = try await OutboxProblem.translating {
            try await self.outbox.list(input.selection, after: input.after, limit: input.limit + 1)
        }
        return [
            "messages": .array(entries.prefix(input.limit).map { .object(OutboxMessageJSON.json($0)) }),
            "more": .bool(entries.count > input.limit),
        ]
    }
}

/// `outbox.show`
struct ShowOutboxMessage: GatewayOperation {
    struct Input: OperationInput {
        var id = ""

        static let keys: [Key] = [
            .required(
                "id", \.id, .text(maximumBytes: 64), "The message", example: "msg_01JCASTWAY0000000000000001")
        ]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "outbox.show"
    static let route = OperationRoute(.get, "/outbox/messages/{id}")
    static let scope = OperationScope.admin
    static let reach = OperationReach.gateway
    static let summary = "Shows a message of the outbox with what is delivered"
    static let result = OperationResult(
        "The message",
        OutboxMessageJSON.members + [
            .optional("json", .anything, "What is delivered, when that is JSON"),
            .optional("text", .text, "What is delivered, when that is other text"),
            .optional("base64", .text, "What is delivered, when that is no text"),
        ])
    static let problems = [
        OperationProblemCase("unknown_message", 404, "there is no such message; it may have arrived meanwhile")
    ]

    /// Has it.
    let outbox: Outbox

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let entries = try await OutboxProblem.translating {
            try await self.outbox.list(OutboxSelection(id: input.id), limit: 1)
        }
        guard let entry = entries.first else {
            throw .missing("unknown_message", "there is no message '\(input.id)' in the outbox")
        }
        var json = OutboxMessageJSON.json(entry)
        let body = entry.message.body
        if let value = try? JSONReader.read(body) {
            json["json"] = value
        } else if (try? UTF8Span(validating: body.readableBytesUInt8Span)) != nil {
            json["text"] = .string(String(buffer: body))
        } else {
            json["base64"] = .string(Base64.text(body))
        }
        return json
    }
}

/// `outbox.replay`
struct ReplayOutbox: GatewayOperation {
    struct Input: OutboxSelectingInput {
        var id: String?
        var destination: String?
        var device: String?

        static let keys: [Key] = Self.selectingKeys
        static let rules: [InputRule] = [.any(of: ["id", "destination"])]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "outbox.replay"
    static let route = OperationRoute(.post, "/outbox/replay")
    static let scope = OperationScope.admin
    static let reach = OperationReach.gateway
    static let summary = "Has dead letters tried again, with all attempts that there are"
    static let result = OperationResult("How many", [.init("count", .integer, "How many there were")])

    /// Has them.
    let outbox: Outbox

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let count = try await OutboxProblem.translating { try await self.outbox.replay(input.selection) }
        return ["count": .number(count)]
    }
}

/// `outbox.purge`
struct PurgeOutbox: GatewayOperation {
    struct Input: OutboxSelectingInput {
        var id: String?
        var destination: String?
        var device: String?
        var state: OutboxMessageState?

        static let keys: [Key] =
            Self.selectingKeys + [
                .optional("state", \.state, .word, "Only those in this state; `dead` for dead letters", example: "dead")
            ]
        static let rules: [InputRule] = [.any(of: ["id", "destination"])]

        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "outbox.purge"
    static let route = OperationRoute(.post, "/outbox/purge")
    static let scope = OperationScope.admin
    static let reach = OperationReach.gateway
    static let summary = "Takes messages out of the outbox for good"
    static let details = "A message that is under way just then may arrive all the same."
    static let result = OperationResult("How many", [.init("count", .integer, "How many there were")])

    /// Has them.
    let outbox: Outbox

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        var selection = input.selection
        selection.state = input.state?.rawValue
        let meant = selection
        let count = try await OutboxProblem.translating { try await self.outbox.purge(meant) }
        return ["count": .number(count)]
    }
}

/// The states of a message in the outbox.
enum OutboxMessageState: String, Sendable, CaseIterable {
    case waiting, parked, dead
}

/// An input that narrows what is listed.
private protocol OutboxInput: OperationInput {
    var destination: String? { get set }
    var device: String? { get set }
    var state: OutboxMessageState? { get set }
}

extension OutboxInput {
    fileprivate static var selectionKeys: [Key] {
        [
            .optional(
                "destination", \.destination, .text(maximumBytes: 128), "Those for this bridge",
                example: "webhook:backend"),
            .optional("device", \.device, .text(maximumBytes: 256), "Those about this device", example: "hall"),
            .optional(
                "state", \.state, .word,
                "Those that wait for their turn (`waiting`), are tried again beside the others (`parked`), or were given up (`dead`)",
                example: "dead"),
        ]
    }

    fileprivate var selection: OutboxSelection {
        OutboxSelection(destination: self.destination, device: self.device, state: self.state?.rawValue)
    }
}

/// An input that says which messages something is done with.
private protocol OutboxSelectingInput: RuledInput {
    var id: String? { get set }
    var destination: String? { get set }
    var device: String? { get set }
}

extension OutboxSelectingInput {
    fileprivate static var selectingKeys: [Key] {
        [
            .optional(
                "id", \.id, .text(maximumBytes: 64), "One message", example: "msg_01JCASTWAY0000000000000001"),
            .optional(
                "destination", \.destination, .text(maximumBytes: 128), "Those for this bridge",
                example: "webhook:backend"),
            .optional("device", \.device, .text(maximumBytes: 256), "Of those, the ones about this device"),
        ]
    }

    fileprivate var selection: OutboxSelection {
        OutboxSelection(id: self.id, destination: self.destination, device: self.device)
    }
}

/// A message of the outbox as callers see it.
private enum OutboxMessageJSON {
    static let members: [OperationResult.Member] = [
        .init("id", .text, "Its id, which the receiver sees too"), .init("destination", .text, "The bridge"),
        .optional("device", .text, "The device that it is about"), .init("type", .text, "What it is"),
        .optional("address", .text, "Where it goes within the bridge, such as a topic"),
        .init("state", .word(OutboxEntry.states), "Whether it waits, is tried again, or was given up"),
        .init("attempts", .integer, "How often it was refused"), .init("size", .integer, "Its bytes"),
        .init("taken_at", .text, "When it was taken, in UTC"),
        .optional("due", .text, "When it is tried again, or when it was given up, in UTC"),
        .optional("reason", .text, "Why it was given up"),
    ]

    static func json(_ entry: OutboxEntry) -> JSONObject {
        let message = entry.message
        var json: JSONObject = ["id": .string(message.id), "destination": .string(message.destination)]
        json["device"] = message.device.map { .string($0) }
        json["type"] = .string(message.type)
        json["address"] = message.address.map { .string($0) }
        json["state"] = .string(entry.state)
        json["attempts"] = .number(message.attempts)
        json["size"] = .number(message.body.readableBytes)
        json["taken_at"] = .string(JournalInstant.text(message.takenAt))
        json["due"] = entry.due.map { .string(JournalInstant.text($0)) }
        json["reason"] = entry.reason.map { .string($0) }
        return json
    }
}

/// What a database that fails is to a caller.
enum OutboxProblem {
    static func translating<Value>(
        _ body: () async throws -> Value
    ) async throws(OperationProblem) -> Value {
        do {
            return try await body()
        } catch {
            throw OperationProblem(
                "unavailable", status: 503, "the outbox cannot be read: \(DatabaseErrorText.words(error))")
        }
    }
}
