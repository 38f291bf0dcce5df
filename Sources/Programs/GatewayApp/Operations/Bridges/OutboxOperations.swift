package import CastWire
import FeatureContract
import GatewayConfig
import GatewayJournal
package import GatewayOperations
package import MessageBridges
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
    static let result = OutboxListResult.result("The messages")

    /// Has them.
    let outbox: Outbox

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let entries = try await OutboxProblem.translating {
            try await self.outbox.list(input.selection, after: input.after, limit: input.limit + 1)
        }
        return OutboxListResult.json((Array(entries.prefix(input.limit)), entries.count > input.limit))
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
    static let result = OutboxContentResult.result("The message")
    static let problems = [
        OperationProblemCase("unknown_message", 404, "there is no such message; it may have arrived meanwhile")
    ]

    let outbox: Outbox

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let entries = try await OutboxProblem.translating {
            try await self.outbox.list(OutboxSelection(id: input.id), limit: 1)
        }
        guard let entry = entries.first else {
            throw .missing("unknown_message", "there is no message '\(input.id)' in the outbox")
        }
        let body = entry.message.body
        let json = try? JSONReader.read(body)
        let text = json == nil ? String(validating: body.readableBytesView, as: UTF8.self) : nil
        return OutboxContentResult.json((entry, json, text))
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
    static let result = OutboxCountResult.result("How many")

    /// Has them.
    let outbox: Outbox

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        let count = try await OutboxProblem.translating { try await self.outbox.replay(input.selection) }
        return OutboxCountResult.json(count)
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
    static let result = OutboxCountResult.result("How many")

    /// Has them.
    let outbox: Outbox

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        var selection = input.selection
        selection.state = input.state?.rawValue
        let meant = selection
        let count = try await OutboxProblem.translating { try await self.outbox.purge(meant) }
        return OutboxCountResult.json(count)
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

/// Messages of the outbox.
package struct OutboxListResult: ResultRecord {
    package typealias Source = (messages: [OutboxEntry], hasMore: Bool)

    package let messages = Field("messages", listOf: OutboxMessageResult.self, "The oldest first") { $0.messages }
    package let hasMore = Field("more", "Whether there are more behind them") { $0.hasMore }

    package static let layout = ResultLayout(OutboxListResult())
}

/// A message of the outbox.
package struct OutboxMessageResult: ResultRecord {
    package typealias Source = OutboxEntry

    package let id = Field("id", "Its id, which the receiver sees too") { $0.message.id }
    package let destination = Field("destination", "The bridge") { $0.message.destination }
    package let device = Field.optional("device", "The device that it is about") { $0.message.device }
    package let type = Field("type", "What it is") { $0.message.type }
    package let address = Field.optional("address", "Where it goes within the bridge, such as a topic") {
        $0.message.address
    }
    package let state = Field(
        "state", "Whether it waits, is tried again, or was given up", as: .word(OutboxEntry.states)
    ) { $0.state }
    package let attempts = Field("attempts", "How often it was refused") { $0.message.attempts }
    package let size = Field("size", "Its bytes") { $0.message.body.readableBytes }
    package let takenAt = Field("taken_at", "When it was taken, in UTC") { JournalInstant.text($0.message.takenAt) }
    package let due = Field.optional("due", "When it is tried again, or when it was given up, in UTC") {
        $0.due.map(JournalInstant.text)
    }
    package let reason = Field.optional("reason", "Why it was given up") { $0.reason }

    package static let layout = ResultLayout(OutboxMessageResult())
}

/// A message of the outbox with what is delivered.
package struct OutboxContentResult: ResultRecord {
    package typealias Source = (entry: OutboxEntry, json: JSONValue?, text: String?)

    package let message = Embedded(OutboxMessageResult.self) { $0.entry }
    package let jsonBody = Field.optional("json", "What is delivered, when that is JSON") { $0.json }
    package let textBody = Field.optional("text", "What is delivered, when that is other text") { $0.text }
    package let base64Body = Field.optional("base64", "What is delivered, when that is no text") {
        $0.json == nil && $0.text == nil ? Base64.text($0.entry.message.body) : nil
    }

    package static let layout = ResultLayout(OutboxContentResult())
}

/// The number of messages that something was done with.
package struct OutboxCountResult: ResultRecord {
    package typealias Source = Int

    package let count = Field("count", "How many there were") { $0 }

    package static let layout = ResultLayout(OutboxCountResult())
}
