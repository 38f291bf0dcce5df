/// Time as a plugin should see it: `castway plugin test` moves it, everywhere else it is the machine's.
public struct PluginClock: Sendable {
    private let clock: SessionClock

    init(_ clock: SessionClock) {
        self.clock = clock
    }

    /// What time it is.
    public var now: PluginInstant { self.clock.now }

    /// Waits for so long; other flows go on.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(for duration: Duration) async throws {
        try await self.clock.sleep(for: duration)
    }

    /// Waits until then.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until moment: PluginInstant) async throws {
        try await self.sleep(for: max(.zero, self.now.duration(to: moment)))
    }

    /// Does something once, after so long.
    @discardableResult
    public func after(_ delay: Duration, _ action: @escaping @Sendable () async -> Void) -> PluginTimer {
        self.clock.after(delay, action)
    }

    /// Does something at a moment, or at once when that is over.
    @discardableResult
    public func at(_ moment: PluginInstant, _ action: @escaping @Sendable () async -> Void) -> PluginTimer {
        self.clock.after(max(.zero, self.now.duration(to: moment)), action)
    }

    /// Does something again and again, first after so long; the time in between is counted from the end of each.
    @discardableResult
    public func every(_ interval: Duration, _ action: @escaping @Sendable () async -> Void) -> PluginTimer {
        let clock = self.clock
        return clock.after(interval) {
            repeat {
                await action()
            } while (try? await clock.sleep(for: interval)) != nil
        }
    }
}

/// Something that is done later.
public struct PluginTimer: Sendable {
    private let task: Task<Void, Never>

    init(_ task: Task<Void, Never>) {
        self.task = task
    }

    /// It is not done any more. What has begun learns it as a cancelled task does.
    public func cancel() {
        self.task.cancel()
    }
}

/// A moment, as milliseconds since 1970 in UTC: it means the same after a restart, so it can be kept in the store.
public struct PluginInstant: InstantProtocol, Hashable, Sendable, Codable {
    /// Milliseconds since 1970.
    public var milliseconds: Int

    /// No moment is outside: some thousand years round 1970.
    static let range = -100_000_000_000_000...100_000_000_000_000

    /// Makes a moment; one beyond reason becomes the last or first within.
    public init(milliseconds: Int) {
        self.milliseconds = min(max(milliseconds, Self.range.lowerBound), Self.range.upperBound)
    }

    /// Reads the milliseconds.
    public init(from decoder: any Decoder) throws {
        self.init(milliseconds: try decoder.singleValueContainer().decode(Int.self))
    }

    /// Writes the milliseconds.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.milliseconds)
    }

    /// So much later.
    public func advanced(by duration: Duration) -> PluginInstant {
        let (seconds, attoseconds) = duration.components
        let limit = Int64(Self.range.upperBound / 500)
        let whole = Int(min(max(seconds, -limit), limit)) * 1_000
        return PluginInstant(milliseconds: self.milliseconds + whole + Int(attoseconds / 1_000_000_000_000_000))
    }

    /// How much later the other is.
    public func duration(to other: PluginInstant) -> Duration {
        .milliseconds(other.milliseconds - self.milliseconds)
    }

    /// True when it is earlier.
    public static func < (left: PluginInstant, right: PluginInstant) -> Bool {
        left.milliseconds < right.milliseconds
    }
}
