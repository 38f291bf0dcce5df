import NIOCore

/// When to act on what came back: a link brings its addresses and routes along, and a host that starts containers changes
/// its network all the time.
struct ReturnPace {
    /// What comes together is acted on together.
    static let gathering = TimeAmount.milliseconds(50)
    /// Devices are dialled anew by this no more often; the last change is never left out.
    static let interval = TimeAmount.seconds(1)

    private var last: NIODeadline?
    private var waiting: NetworkState.Return?

    /// Takes what came back.
    /// - Returns: when to call ``act(at:)``; nil when that is settled already.
    mutating func noted(_ change: NetworkState.Return, at now: NIODeadline) -> NIODeadline? {
        let isSettled = self.waiting != nil
        if self.waiting != .link { self.waiting = change }
        guard !isSettled else { return nil }
        let soon = now + Self.gathering
        return self.last.map { max(soon, $0 + Self.interval) } ?? soon
    }

    /// Takes what is to be acted on now.
    mutating func act(at now: NIODeadline) -> NetworkState.Return? {
        defer { self.waiting = nil }
        if self.waiting != nil { self.last = now }
        return self.waiting
    }
}
