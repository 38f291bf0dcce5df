import NIOCore

/// The order of commands: those of one device one after the other in the order in which they came, so many at once in all, and no more
/// waiting than there is room for. Knows no clock and no task.
struct MQTTCommandQueue<Command: Sendable>: Sendable {
    struct Limits: Sendable, Hashable {
        /// Commands that are carried out at once.
        var concurrency = 32
        /// Commands that wait or are carried out.
        var total = 1024
        /// The limit for one device.
        var lane = 64
    }

    private struct Lane: Sendable {
        var waiting = CircularBuffer<Command>()
        var isBusy = false
        var count: Int { self.waiting.count + (self.isBusy ? 1 : 0) }
    }

    private let limits: Limits
    private var lanes: [String: Lane] = [:]
    private var free = CircularBuffer<Command>()
    /// The lanes that have something to do and nothing under way.
    private var ready = CircularBuffer<String>()
    private var running = 0
    private var total = 0

    init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Takes a command.
    /// - Parameter lane: whose order it keeps; nil for one that waits for no other.
    /// - Returns: false when there is no room.
    mutating func append(_ command: Command, lane: String?) -> Bool {
        guard self.total < self.limits.total else { return false }
        guard let lane else {
            self.total += 1
            self.free.append(command)
            return true
        }
        var entry = self.lanes[lane] ?? Lane()
        guard entry.count < self.limits.lane else { return false }
        self.total += 1
        entry.waiting.append(command)
        if !entry.isBusy, entry.waiting.count == 1 { self.ready.append(lane) }
        self.lanes[lane] = entry
        return true
    }

    /// Takes the next command that can be done now, and its lane.
    mutating func next() -> (command: Command, lane: String?)? {
        guard self.running < self.limits.concurrency else { return nil }
        if let lane = self.ready.popFirst(), let command = self.lanes[lane]?.waiting.popFirst() {
            self.lanes[lane]?.isBusy = true
            self.running += 1
            return (command, lane)
        }
        guard let command = self.free.popFirst() else { return nil }
        self.running += 1
        return (command, nil)
    }

    mutating func finish(lane: String?) {
        self.running -= 1
        self.total -= 1
        guard let lane, var entry = self.lanes[lane] else { return }
        entry.isBusy = false
        self.lanes[lane] = entry.waiting.isEmpty ? nil : entry
        if !entry.waiting.isEmpty { self.ready.append(lane) }
    }
}
