import CastWire
import NIOCore

/// A flow with a deferred message: what is held, and what waits behind it. For the router's event loop.
final class Flow {
    let key: FlowKey
    /// What the router waits for; nil while it is carried out or what waits behind it is routed.
    private(set) var held: Journey?
    private(set) var deadline: NIODeadline
    private(set) var waiting: CircularBuffer<RoutedMessage> = []
    private(set) var waitingBytes = 0

    init(_ key: FlowKey, holding journey: Journey, until deadline: NIODeadline) {
        self.key = key
        self.held = journey
        self.deadline = deadline
    }

    func hold(_ journey: Journey, until deadline: NIODeadline) {
        self.held = journey
        self.deadline = deadline
    }

    func isHeld(by journey: Journey) -> Bool { self.held === journey }

    /// Lets go of what was held.
    @discardableResult
    func release() -> Journey? {
        defer { self.held = nil }
        return self.held
    }

    func append(_ message: RoutedMessage, limits: RouterSettings, budget: inout WaitingBudget) -> Bool {
        let size = message.payloadSize
        guard self.waiting.count < limits.flowLimit, self.waitingBytes + size <= limits.flowByteLimit,
            budget.add(size, for: message.connection, limits: limits)
        else { return false }
        self.waiting.append(message)
        self.waitingBytes += size
        return true
    }

    func popFirst(budget: inout WaitingBudget) -> RoutedMessage? {
        guard let message = self.waiting.popFirst() else { return nil }
        self.waitingBytes -= message.payloadSize
        budget.remove(count: 1, bytes: message.payloadSize, for: message.connection)
        return message
    }
}

extension RoutedMessage {
    fileprivate var payloadSize: Int { self.message.payload.bytes.readableBytes }
}
