import PluginKit
import Synchronization

/// What people ask of a plugin.
extension PluginService {
    /// Runs the plugin anew; it ends what it is doing first.
    public func restart() { self.input.yield(.event(.restart)) }

    /// Runs the plugin, if it does not run.
    public func enable() { self.input.yield(.event(.start)) }

    /// Does not run the plugin any more, until it is enabled or the gateway starts again.
    public func disable() { self.input.yield(.event(.stop(.disabled))) }

    /// Waits until what was asked before has been taken up.
    public func untilSettled() async {
        let settled = Settled()
        if case .terminated = self.input.yield(.sync(settled)) { return }
        await settled.wait()
    }

    /// What is said on the wire from now on, a JSON object a line; nil when the plugin does not run.
    public func trace() -> AsyncStream<String>? {
        self.state.withLock { $0.life }?.connection?.trace()
    }
}
