import NIOCore

/// Lets one status event through in an interval; of a burst the first and the last (protocol notes, quirk 30).
struct StatusPace: Sendable {
    private let interval: Duration
    private var last: NIODeadline?
    /// When what was held back is due.
    private(set) var deadline: NIODeadline?

    init(interval: Duration) {
        self.interval = interval
    }

    /// Something changed.
    /// - Returns: true when it may be told now.
    mutating func changed(at now: NIODeadline) -> Bool {
        if let last, now < last + TimeAmount(self.interval) {
            self.deadline = last + TimeAmount(self.interval)
            return false
        }
        self.tell(at: now)
        return true
    }

    /// - Returns: true when something was held back that is due.
    mutating func expire(at now: NIODeadline) -> Bool {
        guard let deadline, now >= deadline else { return false }
        self.tell(at: now)
        return true
    }

    /// It is told now, whatever the interval says.
    mutating func tell(at now: NIODeadline) {
        self.last = now
        self.deadline = nil
    }
}
