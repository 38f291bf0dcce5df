/// Time as a plugin should see it: `castway plugin test` moves it, everywhere else it is the machine's.
public struct PluginClock: Sendable {
    private let session: PluginSession

    init(_ session: PluginSession) {
        self.session = session
    }

    /// What time it is.
    public var now: PluginInstant { self.session.now }

    /// Waits for so long; other flows go on.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(for duration: Duration) async throws {
        try await self.session.sleep(for: duration)
    }

    /// Waits until then.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until moment: PluginInstant) async throws {
        try await self.sleep(for: max(.zero, self.now.duration(to: moment)))
    }

    /// Does something once, after so long.
    @discardableResult
    public func after(_ delay: Duration, _ action: @escaping @Sendable () async -> Void) -> PluginTimer {
        self.session.after(delay, action)
    }

    /// Does something at a moment, or at once when that is over.
    @discardableResult
    public func at(_ moment: PluginInstant, _ action: @escaping @Sendable () async -> Void) -> PluginTimer {
        self.session.after(max(.zero, self.now.duration(to: moment)), action)
    }

    /// Does something again and again, first after so long; the time in between is counted from the end of each.
    @discardableResult
    public func every(_ interval: Duration, _ action: @escaping @Sendable () async -> Void) -> PluginTimer {
        let session = self.session
        return session.after(interval) {
            repeat {
                await action()
            } while (try? await session.sleep(for: interval)) != nil
        }
    }
}
