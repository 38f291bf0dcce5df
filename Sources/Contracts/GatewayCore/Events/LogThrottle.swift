public import Logging
public import NIOCore

/// Keeps peers from filling the log: for each key so many lines a minute, and a count of those left out.
///
/// Knows no clock: instants are passed in. Holds a bounded number of keys.
public struct LogThrottle<Key: Hashable & Sendable>: Sendable {
    private struct Window {
        var began: NIODeadline
        var lines = 0
        var unsaid = 0
    }

    private static var length: TimeAmount { .minutes(1) }
    private static var maximumKeys: Int { 1024 }

    private let linesPerWindow: Int
    private var windows: [Key: Window] = [:]

    /// Makes an empty one.
    /// - Parameter linesPerWindow: lines for each key in a minute, at least 1.
    public init(linesPerWindow: Int) {
        self.linesPerWindow = max(linesPerWindow, 1)
    }

    /// Asks for a line.
    /// - Returns: how many lines of the key were left out since the last one; nil when this one is left out too.
    public mutating func admit(_ key: Key, at now: NIODeadline) -> Int? {
        if self.windows[key] == nil { self.makeRoom(at: now) }
        var window = self.windows[key] ?? Window(began: now)
        if now - window.began >= Self.length { window = Window(began: now, unsaid: window.unsaid) }
        defer { self.windows[key] = window }
        guard window.lines < self.linesPerWindow else {
            window.unsaid += 1
            return nil
        }
        window.lines += 1
        defer { window.unsaid = 0 }
        return window.unsaid
    }

    /// The level of a line: its own, or debug when it is one too many. Those left out are counted in `suppressed`.
    public mutating func level(
        _ level: Logger.Level, for key: Key, at now: NIODeadline, metadata: inout Logger.Metadata
    ) -> Logger.Level {
        guard let unsaid = self.admit(key, at: now) else { return min(level, .debug) }
        if unsaid > 0 { metadata["suppressed"] = .stringConvertible(unsaid) }
        return level
    }

    /// How many keys are kept in mind.
    public var keyCount: Int { self.windows.count }

    private mutating func makeRoom(at now: NIODeadline) {
        guard self.windows.count >= Self.maximumKeys else { return }
        self.windows = self.windows.filter { now - $0.value.began < Self.length }
        if self.windows.count >= Self.maximumKeys { self.windows.removeAll() }
    }
}
