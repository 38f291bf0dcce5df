import CastWire
import GatewayCore

/// The senders that are connected to one virtual device by a channel: delivers messages to them, and flushes their channels.
///
/// Messages are queued on the channels while a turn of the event loop lasts, and leave together when it ends: ``flush()``
/// visits only the channels that something was queued on. A broadcast is one message for the target and many for the
/// channels; ``copies`` counts these, so that the sender whose read caused them can be charged. Lives on the device's event
/// loop.
final class SenderGroup {
    private var connections: [ConnectionID: SenderConnection] = [:] {
        didSet { self.recent = nil }
    }
    /// The sender that got the last message: messages come in runs, and comparing costs less than hashing.
    private var recent: SenderConnection?
    private var toFlush: [SenderConnection] = []
    private var isFlushing = false
    /// The number of copies of broadcasts that were queued in this turn.
    private var copies = 0
    private var whenEmpty: (() -> Void)?

    var count: Int { self.connections.count }
    var isEmpty: Bool { self.connections.isEmpty }

    /// All senders, the oldest first.
    var all: [SenderConnection] { self.connections.values.sorted { $0.id.rawValue < $1.id.rawValue } }

    subscript(id: ConnectionID) -> SenderConnection? { self.connections[id] }

    func insert(_ sender: SenderConnection) {
        self.connections[sender.id] = sender
    }

    /// - Returns: false when it is not in the group.
    func remove(_ sender: SenderConnection) -> Bool {
        self.connections.removeValue(forKey: sender.id) != nil
    }

    /// Calls the callback of ``whenEmpty(_:)`` if no sender is left; behind everything that a lost sender gives rise to.
    func checkIfEmpty() {
        guard self.connections.isEmpty, let callback = self.whenEmpty else { return }
        self.whenEmpty = nil
        callback()
    }

    /// Says what is to be called once no sender is left.
    func whenEmpty(_ callback: @escaping () -> Void) {
        self.whenEmpty = callback
    }

    // MARK: Messages

    /// Queues a message for one channel; one that is gone is ignored.
    func send(_ message: CastMessage, to connection: ConnectionID) {
        if let recent = self.recent, recent.id == connection { return recent.send(message) }
        guard let sender = self.connections[connection] else { return }
        self.recent = sender
        sender.send(message)
    }

    /// Queues a message for every channel with a virtual connection to its source.
    func broadcast(_ message: CastMessage) {
        var copies = 0
        for sender in self.connections.values where sender.virtualConnections.hasPeers(of: message.source) {
            sender.send(message)
            copies += 1
        }
        self.copies += copies
    }

    /// Tells every end that is connected to an app that the app is gone.
    func closeVirtualConnections(of transport: EndpointID) {
        for sender in self.connections.values { sender.closeVirtualConnections(of: transport) }
    }

    /// The number of copies of broadcasts that were queued since the turn began; counts anew from then on.
    func takeCopies() -> Int {
        defer { self.copies = 0 }
        return self.copies
    }

    // MARK: Flushing

    func flushLater(_ sender: SenderConnection) {
        self.toFlush.append(sender)
    }

    /// Lets everything leave that was queued: the turn is over.
    func flush() {
        self.copies = 0
        // A write that fails may come back here; what it adds is flushed by the loop that runs.
        guard !self.isFlushing else { return }
        self.isFlushing = true
        var index = 0
        while index < self.toFlush.count {
            self.toFlush[index].flush()
            index += 1
        }
        self.toFlush.removeAll(keepingCapacity: true)
        self.isFlushing = false
    }
}
