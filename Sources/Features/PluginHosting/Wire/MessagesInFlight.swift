import GatewayCore
import NIOCore
import PluginKit

/// A message that a plugin is asked about. For the event loop of the plugin's wire.
final class PluginWorkItem {
    let message: RoutedMessage
    let phase: RoutingPhase
    /// The time when the verdict is not awaited any more.
    var deadline: NIODeadline
    let deferral: Deferral
    /// The id of the request, once the plugin was asked.
    var requestID = 0
    /// The time when the plugin was asked; nil while the message waits.
    var askedAt: NIODeadline?
    /// The gateway's id of the message.
    let id: String

    init(message: RoutedMessage, phase: RoutingPhase, deadline: NIODeadline, deferral: Deferral, id: String) {
        self.message = message
        self.phase = phase
        self.deadline = deadline
        self.deferral = deferral
        self.id = id
    }
}

/// The messages that a plugin has or is going to get: those that wait for a credit, those that it was asked about, and those
/// that it deferred. Each kind is bounded.
struct MessagesInFlight {
    /// The number of messages that may wait for a credit.
    static let queueLimit = 256
    /// The number of deferred messages a plugin may hold.
    private static let deferredLimit = 1024

    private var queue: CircularBuffer<PluginWorkItem> = []
    private var pending: [Int: PluginWorkItem] = [:]
    private var deferred: [String: PluginWorkItem] = [:]
    private var cancelled = RecentIDs()

    /// The number of messages there are, the deferred ones counted.
    var count: Int { self.pending.count + self.queue.count + self.deferred.count }

    /// The number of messages the plugin was asked about and has not answered.
    var pendingCount: Int { self.pending.count }

    /// True if no message waits for a credit.
    var isQueueEmpty: Bool { self.queue.isEmpty }

    /// The longest chain that a message with the plugin belongs to.
    var longestOrigin: MessageOrigin? {
        let origins =
            self.pending.values.compactMap(\.message.origin) + self.deferred.values.compactMap(\.message.origin)
        return origins.max { $0.hops < $1.hops }
    }

    /// Has a message wait for a credit.
    /// - Returns: false when too many wait.
    mutating func enqueue(_ item: PluginWorkItem) -> Bool {
        guard self.queue.count < Self.queueLimit else { return false }
        self.queue.append(item)
        return true
    }

    mutating func dequeue() -> PluginWorkItem? { self.queue.popFirst() }

    mutating func asked(_ item: PluginWorkItem, requestID: Int) {
        self.pending[requestID] = item
        item.requestID = requestID
    }

    /// The plugin answered a request; nil when it was none about a message, or its message is gone.
    mutating func answered(_ requestID: Int) -> PluginWorkItem? { self.pending.removeValue(forKey: requestID) }

    /// True if an answer comes too late for its message. True once for each.
    mutating func takeCancelled(_ requestID: Int) -> Bool { self.cancelled.take(requestID) }

    /// Takes it that the answer to a request of another kind is not awaited any more.
    mutating func forget(_ requestID: Int) { self.cancelled.insert(requestID) }

    /// The plugin decides about a message later.
    /// - Returns: false when it holds too many.
    mutating func hold(_ item: PluginWorkItem) -> Bool {
        guard self.deferred.count < Self.deferredLimit else { return false }
        self.deferred[item.id] = item
        return true
    }

    /// The plugin decides about a deferred message; nil when it holds none of that id.
    mutating func completed(_ id: String) -> PluginWorkItem? { self.deferred.removeValue(forKey: id) }

    /// Removes the messages whose verdict is not awaited any more: their deadline has passed, or their sender is gone.
    /// - Returns: those that the plugin has.
    mutating func sweep() -> [PluginWorkItem] {
        var swept: [PluginWorkItem] = []
        for (id, item) in self.pending where item.deferral.isSettled {
            self.pending[id] = nil
            self.cancelled.insert(id)
            swept.append(item)
        }
        for (id, item) in self.deferred where item.deferral.isSettled {
            self.deferred[id] = nil
            swept.append(item)
        }
        return swept
    }

    /// Removes the messages that wait for a credit, and whose verdict is not awaited any more.
    mutating func sweepQueue() -> [PluginWorkItem] {
        let swept = Array(self.queue.filter { $0.deferral.isSettled })
        if !swept.isEmpty { self.queue.removeAll { $0.deferral.isSettled } }
        return swept
    }

    mutating func removeAll() -> [PluginWorkItem] {
        defer {
            self.pending = [:]
            self.queue = []
            self.deferred = [:]
        }
        return Array(self.pending.values) + Array(self.queue) + Array(self.deferred.values)
    }
}

/// The request ids of cancelled messages, so that their answers are known to be late. Bounded.
private struct RecentIDs {
    private static let limit = 1024

    private var ids: Set<Int> = []
    private var order: CircularBuffer<Int> = []

    mutating func insert(_ id: Int) {
        if self.order.count >= Self.limit { self.ids.remove(self.order.removeFirst()) }
        self.ids.insert(id)
        self.order.append(id)
    }

    /// True if the id is there; it is not afterwards.
    mutating func take(_ id: Int) -> Bool { self.ids.remove(id) != nil }
}
