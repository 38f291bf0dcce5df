import CastWire
import NIOCore

/// A flow with a deferred message: what is held, and what waits behind it.
struct Flow {
    /// What the router waits for.
    struct Held {
        var journey: Journey
        let entry: HandlerTable.Entry
        let deferral: Deferral
        let timeout: Scheduled<Void>
        let token: UInt64
    }

    var held: Held
    private(set) var waiting: CircularBuffer<RoutedMessage> = []
    private(set) var waitingBytes = 0

    init(held: Held) {
        self.held = held
    }

    mutating func append(_ message: RoutedMessage, limits: RouterSettings) -> Bool {
        let size = message.message.payload.bytes.readableBytes
        guard self.waiting.count < limits.flowLimit, self.waitingBytes + size <= limits.flowByteLimit else {
            return false
        }
        self.waiting.append(message)
        self.waitingBytes += size
        return true
    }

    mutating func popFirst() -> RoutedMessage? {
        guard let message = self.waiting.popFirst() else { return nil }
        self.waitingBytes -= message.message.payload.bytes.readableBytes
        return message
    }
}
