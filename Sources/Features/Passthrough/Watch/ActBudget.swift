import NIOCore

/// The limit of acts on a device within a minute, so that the gateway does not fight with another controller.
struct ActBudget {
    static let most = 6
    static let window = TimeAmount.minutes(1)

    private var acts: [NIODeadline] = []

    /// Counts an act.
    /// - Returns: false when there were enough; it is not counted then.
    mutating func take(at now: NIODeadline) -> Bool {
        self.acts.removeAll { now - $0 >= Self.window }
        guard self.acts.count < Self.most else { return false }
        self.acts.append(now)
        return true
    }

    /// The time when there may be one more.
    func next(at now: NIODeadline) -> NIODeadline {
        guard self.acts.count >= Self.most, let first = self.acts.first else { return now }
        return first + Self.window
    }
}
