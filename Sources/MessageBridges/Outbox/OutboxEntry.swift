import GRDB

/// A message as operations show it.
public struct OutboxEntry: Sendable, Hashable {
    /// The states of a message: it waits for its turn, it is tried again beside the others, or it was given up.
    public static let states = OutboxStore.State.allCases.map { "\($0)" }

    /// The message.
    public let message: OutboxMessage
    /// One of ``states``: `waiting`, `parked` or `dead`.
    public let state: String
    /// When it is tried again, or when it was given up, in milliseconds since 1970; nil for one that waits for its turn.
    public let due: Int64?
    /// Why it was given up.
    public let reason: String?

    init(message: OutboxMessage, state: OutboxStore.State, due: Int64, reason: String?) {
        self.message = message
        self.state = "\(state)"
        self.due = due > 0 ? due : nil
        self.reason = reason
    }
}

/// Which messages an operation is about.
public struct OutboxSelection: Sendable, Hashable {
    /// One message alone; one that is no id of the outbox selects nothing.
    public var id: String?
    /// Those of one destination.
    public var destination: String?
    /// Those of one device.
    public var device: String?
    /// Those in one state: `waiting`, `parked` or `dead`.
    public var state: String?

    /// Selects all; set what narrows it.
    public init(id: String? = nil, destination: String? = nil, device: String? = nil, state: String? = nil) {
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
