import NIOCore

/// Counts lines in windows of time, to tell a trickle from a flood.
struct LineRate {
    private let limit: Int
    private let window: TimeAmount
    private var began = NIODeadline.uptimeNanoseconds(0)
    private(set) var count = 0

    init(limit: Int, window: TimeAmount) {
        self.limit = limit
        self.window = window
    }

    /// Counts a line.
    /// - Returns: false when it is one too many in its window.
    mutating func admit(at now: NIODeadline) -> Bool {
        if now - self.began >= self.window {
            self.began = now
            self.count = 0
        }
        self.count += 1
        return self.count <= self.limit
    }
}
