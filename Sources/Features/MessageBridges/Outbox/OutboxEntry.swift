import GRDB

package struct OutboxEntry: Sendable, Hashable {
    /// The states of a message: it waits for its turn, it is tried again beside the others, or it was given up.
    package static let states = OutboxStore.State.allCases.map { "\($0)" }

    package let message: OutboxMessage
    /// One of ``states``: `waiting`, `parked` or `dead`.
    package let state: String
    /// The time when it is tried again, or when it was given up, in milliseconds since 1970; nil for one that waits for
    /// its turn.
    package let due: Int64?
    /// The reason it was given up.
    package let reason: String?

    init(message: OutboxMessage, state: OutboxStore.State, due: Int64, reason: String?) {
        self.message = message
        self.state = "\(state)"
        self.due = due > 0 ? due : nil
        self.reason = reason
    }
}

/// A selection of messages for an operation.
package struct OutboxSelection: Sendable, Hashable {
    /// One message alone; one that is no id of the outbox selects nothing.
    package var id: String?
    package var destination: String?
    package var device: String?
    /// `waiting`, `parked` or `dead`.
    package var state: String?

    /// Selects all; set what narrows it.
    package init(id: String? = nil, destination: String? = nil, device: String? = nil, state: String? = nil) {
        self.id = id
        self.destination = destination
        self.device = device
        self.state = state
    }

    /// A condition, and what stands for its question marks.
    func sql(_ stamp: UInt64) -> (String, StatementArguments) {
        var (conditions, arguments): ([String], StatementArguments) = (["1"], [])
        if let id {
            let parsed = OutboxID(id)
            conditions.append("seq = ?")
            arguments += [parsed?.stamp == stamp ? parsed?.sequence ?? -1 : -1]
        }
        if let destination {
            conditions.append("destination = ?")
            arguments += [destination]
        }
        if let device {
            conditions.append("device = ?")
            arguments += [device]
        }
        if let state {
            conditions.append("state = ?")
            arguments += [OutboxStore.State.allCases.first { "\($0)" == state }?.rawValue ?? -1]
        }
        return (conditions.joined(separator: " AND "), arguments)
    }
}
