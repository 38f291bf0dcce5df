import GatewayCore
import Testing

/// What is said of the plugins of a gateway. For one task at a time.
final class PluginLives {
    private var events: AsyncStream<GatewayEvent>.AsyncIterator
    /// What was said of plugins while another one was waited for.
    private var backlog: [String: [PluginChange]] = [:]

    init(_ events: AsyncStream<GatewayEvent>) {
        self.events = events.makeAsyncIterator()
    }

    /// The next change of a plugin that the condition holds for; those before it are skipped.
    func next(of name: String, where isWanted: (PluginChange) -> Bool) async -> PluginChange? {
        while let change = self.backlog[name]?.first {
            self.backlog[name]?.removeFirst()
            if isWanted(change) { return change }
        }
        while let event = await self.events.next(isolation: nil) {
            guard case .plugin(let other, let change) = event else { continue }
            guard other == name else {
                self.backlog[other, default: []].append(change)
                continue
            }
            if isWanted(change) { return change }
        }
        return nil
    }

    /// Waits until a plugin has ended for good.
    /// - Returns: why, as the event says; nil when nothing is said any more.
    func stopped(_ name: String) async -> String? {
        var reason: String?
        _ = await self.next(of: name) { change in
            guard case .stopped(let said) = change else { return false }
            reason = said
            return true
        }
        return reason
    }

    /// Waits until a plugin answers.
    func ready(_ name: String) async {
        await self.meet(name) { if case .ready = $0 { true } else { false } }
    }

    /// Waits until a plugin has ended unasked.
    func crashed(_ name: String) async {
        await self.meet(name) {
            switch $0 {
            case .crashed: true
            case .ready, .degraded, .stopped, .crashlooped, .removed: false
            }
        }
    }

    /// Waits for a change; when the plugin is not run any more, it does not come.
    private func meet(_ name: String, _ isWanted: (PluginChange) -> Bool) async {
        let change = await self.next(of: name) { change in
            switch change {
            case .stopped, .crashlooped, .removed: true
            case .ready, .degraded, .crashed: isWanted(change)
            }
        }
        guard let change, isWanted(change) else {
            Issue.record("\(name) is not run any more: \(change.map { "\($0)" } ?? "nothing is said")")
            return
        }
    }
}
