import CastWire
import NIOCore

/// A flow with a deferred message: what is held, and what waits behind it.
struct Flow {
    /// What the router waits for.
    struct Held {
        var journey: Journey
        let entry: HandlerTable.Entry
        let deferral: Deferral
        var timeout: Scheduled<Void>
        let token: UInt64
    }

    var held: Held
    private(set) var waiting: CircularBuffer<RoutedMessage> = []
    private(set) var waitingBytes = 0

    init(held: Held) {
        self.held = held
    }

    mutating func append(_ message: RoutedMessage, limits: RouterSettings, budget: inout WaitingBudget) -> Bool {
        let size = message.payloadSize
        guard self.waiting.count < limits.flowLimit, self.waitingBytes + size <= limits.flowByteLimit,
            budget.add(size, for: message.connection, limits: limits)
        else { return false }
        self.waiting.append(message)
        self.waitingBytes += size
        return true
    }

    mutating func popFirst(budget: inout WaitingBudget) -> RoutedMessage? {
        guard let message = self.waiting.popFirst() else { return nil }
        self.waitingBytes -= message.payloadSize
        budget.remove(count: 1, bytes: message.payloadSize, for: message.connection)
        return message
    }
}

extension RoutedMessage {
    fileprivate var payloadSize: Int { self.message.payload.bytes.readableBytes }
}
