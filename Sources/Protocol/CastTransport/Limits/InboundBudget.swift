package import NIOCore

/// What the connections of one address may send to one virtual device, together.
///
/// Lives on the device's event loop. Connections that may not go on wait in line here and are let go on in turn, a
/// few messages at a time.
package final class InboundBudget {
    /// A connection that waits until the budget allows more.
    protocol Waiter: AnyObject {
        /// Goes on with at most so many messages.
        /// - Returns: true when it has to wait again.
        func resume(atMost count: Int) -> Bool
    }

    /// How the budget finds a waiter, until its owner cancels the ticket.
    ///
    /// A weak reference to the waiter would put its counts into a side table, and every message of a sender that ever had to
    /// wait would pay for the detour.
    final class Ticket {
        fileprivate private(set) var waiter: (any Waiter)?

        init(_ waiter: any Waiter) {
            self.waiter = waiter
        }

        /// Takes the waiter out of the line, and lets go of it.
        func cancel() {
            self.waiter = nil
        }
    }

    /// How long tokens are collected before waiting connections go on.
    private static let pause = TimeAmount.milliseconds(10)
    /// Messages that a waiting connection may send before it is the next one's turn.
    private static let turn = 32

    /// Called when a connection has to wait that did not wait before.
    package var onThrottled: (() -> Void)?
    /// When a connection had to wait last; nil when none ever had.
    package private(set) var throttledAt: NIODeadline?
    /// Whether a connection waits.
    package var isThrottling: Bool { self.waiting.contains { $0.waiter != nil } }

    private let eventLoop: any EventLoop
    private var bucket: TokenBucket?
    private var waiting: [Ticket] = []
    private var timer: Scheduled<Void>?

    /// Makes a full budget.
    /// - Parameters:
    ///   - messagesPerSecond: messages of up to 4 KiB a second, a quarter of which may come at once; nil for no limit.
    ///   - eventLoop: where the connections live.
    package init(messagesPerSecond: Int?, eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        self.bucket = messagesPerSecond.map {
            TokenBucket(perSecond: $0, burst: Self.burst($0), at: eventLoop.now)
        }
    }

    /// Changes what may be sent, from now on; waiting connections are asked anew.
    /// - Parameter messagesPerSecond: as for ``init(messagesPerSecond:eventLoop:)``.
    package func limit(messagesPerSecond: Int?) {
        let now = self.eventLoop.now
        if let rate = messagesPerSecond {
            if self.bucket == nil {
                self.bucket = TokenBucket(perSecond: rate, burst: Self.burst(rate), at: now)
            } else {
                self.bucket?.change(perSecond: rate, burst: Self.burst(rate), at: now)
            }
        } else {
            self.bucket = nil
        }
        self.timer?.cancel()
        self.timer = nil
        self.setTimer()
    }

    private static func burst(_ messagesPerSecond: Int) -> Int { max(messagesPerSecond / 4, 16) }

    /// What a message costs.
    /// - Parameter bytes: the length of its body.
    static func cost(ofMessage bytes: Int) -> Double { 1 + Double(bytes) / 4096 }

    /// Takes for work that was done, be it more than there is left.
    /// - Parameter cost: in messages.
    package func charge(_ cost: Double, at now: NIODeadline) {
        self.bucket?.charge(cost, at: now)
    }

    /// Whether forgetting the budget changes nothing.
    package func isUntouched(at now: NIODeadline) -> Bool { self.bucket?.isFull(at: now) ?? true }

    /// True while nothing limits what comes in.
    var isUnlimited: Bool { self.bucket == nil }

    /// Whether another message may pass now.
    /// - Parameter isInTurn: true for a connection that waited; others stand behind the waiting ones.
    func allows(isInTurn: Bool, at now: NIODeadline) -> Bool {
        guard isInTurn || self.waiting.isEmpty else { return false }
        return self.bucket?.hasTokens(at: now) ?? true
    }

    /// Puts a connection at the end of the line.
    func wait(_ ticket: Ticket) {
        self.waiting.append(ticket)
        self.throttledAt = self.eventLoop.now
        self.onThrottled?()
        self.setTimer()
    }

    private func setTimer() {
        guard self.timer == nil, !self.waiting.isEmpty else { return }
        let empty = self.bucket?.time(until: 1, at: self.eventLoop.now) ?? .zero
        // Held until the timer fires, which is soon.
        let bound = NIOLoopBound(self, eventLoop: self.eventLoop)
        self.timer = self.eventLoop.scheduleTask(in: empty + Self.pause) { bound.value.timerFired() }
    }

    /// Lets each waiting connection go on, at most once.
    private func timerFired() {
        self.timer = nil
        var left = self.waiting.count
        var index = 0
        var again: [Ticket] = []
        while left > 0, self.allows(isInTurn: true, at: self.eventLoop.now) {
            let next = self.waiting[index]
            index += 1
            left -= 1
            if next.waiter?.resume(atMost: Self.turn) == true { again.append(next) }
        }
        self.waiting.removeFirst(index)
        self.waiting += again
        self.setTimer()
    }
}
