import CastWire
import NIOCore

/// The messages that keep their order: those of one channel from one end to another, across namespaces.
struct FlowKey: Hashable, Sendable {
    let connection: ConnectionID?
    let source: EndpointID
    let destination: EndpointID
}

/// A flow with a deferred message: the message that is held, and those that wait behind it. For the router's event loop.
final class HeldFlow {
    let key: FlowKey
    /// The message that a verdict is awaited for; nil while the verdict is carried out or waiting messages are routed.
    private(set) var held: ChainTraversal?
    private(set) var deadline: NIODeadline
    fileprivate(set) var waiting: CircularBuffer<RoutedMessage> = []
    fileprivate var waitingBytes = 0

    init(_ key: FlowKey, holding traversal: ChainTraversal, until deadline: NIODeadline) {
        self.key = key
        self.held = traversal
        self.deadline = deadline
    }

    func hold(_ traversal: ChainTraversal, until deadline: NIODeadline) {
        self.held = traversal
        self.deadline = deadline
    }

    func isHeld(by traversal: ChainTraversal) -> Bool { self.held === traversal }

    /// Lets go of the held message.
    @discardableResult
    func release() -> ChainTraversal? {
        defer { self.held = nil }
        return self.held
    }
}

/// All flows of a router that wait behind a deferred message, with how much may wait.
struct HeldFlows {
    /// Deadlines closer together than this are checked together.
    static let deadlineGrain = TimeAmount.milliseconds(5)

    private var flows: [FlowKey: HeldFlow] = [:]
    private var budget = WaitingBudget()

    var isEmpty: Bool { self.flows.isEmpty }
    var count: Int { self.flows.count }
    var all: [HeldFlow] { Array(self.flows.values) }

    /// The flow that a message belongs to, if it waits.
    subscript(key: FlowKey) -> HeldFlow? { self.flows[key] }

    /// False once the flow was removed, also when another of the same key came since.
    func contains(_ flow: HeldFlow) -> Bool { self.flows[flow.key] === flow }

    mutating func insert(_ flow: HeldFlow) { self.flows[flow.key] = flow }

    /// Removes a flow with everything that waits in it.
    mutating func remove(_ flow: HeldFlow) {
        self.flows[flow.key] = nil
        self.budget.remove(count: flow.waiting.count, bytes: flow.waitingBytes, for: flow.key.connection)
    }

    /// Has a message wait at the end of its flow.
    /// - Returns: false when the flow or its connection is full.
    mutating func append(_ message: RoutedMessage, to flow: HeldFlow, limits: RouterSettings) -> Bool {
        let size = message.payloadSize
        guard flow.waiting.count < limits.flowLimit, flow.waitingBytes + size <= limits.flowByteLimit,
            self.budget.add(size, for: message.connection, limits: limits)
        else { return false }
        flow.waiting.append(message)
        flow.waitingBytes += size
        return true
    }

    /// The next message that waits in a flow.
    mutating func popFirst(of flow: HeldFlow) -> RoutedMessage? {
        guard let message = flow.waiting.popFirst() else { return nil }
        flow.waitingBytes -= message.payloadSize
        self.budget.remove(count: 1, bytes: message.payloadSize, for: message.connection)
        return message
    }

    /// The flows whose deadline has passed.
    func due(at now: NIODeadline) -> [HeldFlow] { self.flows.values.filter { $0.deadline <= now } }

    /// The earliest deadline of a verdict that was not given yet.
    var nextDeadline: NIODeadline? {
        self.flows.values.lazy.filter { !($0.held?.deferral?.isSettled ?? true) }.map(\.deadline).min()
    }
}

/// How much waits behind deferred messages, over all flows of a connection.
///
/// A sender may open many flows, and each may be full; together they may hold four times what one may.
private struct WaitingBudget {
    private struct Usage {
        var count = 0
        var bytes = 0
    }

    private static let flowsWorth = 4

    private var usages: [ConnectionID?: Usage] = [:]

    /// Counts a message in.
    /// - Returns: false when it is one too many; it is not counted then.
    mutating func add(_ bytes: Int, for connection: ConnectionID?, limits: RouterSettings) -> Bool {
        let usage = self.usages[connection] ?? Usage()
        guard usage.count < limits.flowLimit * Self.flowsWorth,
            usage.bytes + bytes <= limits.flowByteLimit * Self.flowsWorth
        else { return false }
        self.usages[connection] = Usage(count: usage.count + 1, bytes: usage.bytes + bytes)
        return true
    }

    /// Counts messages out that were counted in.
    mutating func remove(count: Int, bytes: Int, for connection: ConnectionID?) {
        guard var usage = self.usages[connection] else { return }
        usage.count -= count
        usage.bytes -= bytes
        self.usages[connection] = usage.count > 0 ? usage : nil
    }
}

extension RoutedMessage {
    fileprivate var payloadSize: Int { self.message.payload.bytes.readableBytes }
}
