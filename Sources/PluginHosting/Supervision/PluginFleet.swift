public import GatewayCore
import NIOCore
public import ServiceLifecycle
import Synchronization

/// The plugins that run. They come and go while it does, and end together when it ends.
public final class PluginFleet: Service, CustomStringConvertible {
    let context: PluginContext
    private let services: Mutex<[PluginService]>
    private let launches: AsyncStream<PluginService>
    private let input: AsyncStream<PluginService>.Continuation

    /// Prepares the plugins of a configuration; ``run()`` starts them.
    public init(_ configuration: PluginsConfiguration, context: PluginContext) {
        self.context = context
        self.services = Mutex(configuration.instances.map { PluginService(instance: $0, context: context) })
        (self.launches, self.input) = AsyncStream.makeStream(of: PluginService.self)
    }

    /// What the service is called in logs.
    public var description: String { "plugins" }

    /// The plugins, in the order of `gateway.yaml`.
    public var current: [PluginService] { self.services.withLock { $0 } }

    /// The plugin of a name.
    public subscript(name: String) -> PluginService? { self.current.first { $0.name == name } }

    /// The handlers to register, in the order of `gateway.yaml`.
    public var handlers: [any MessageHandler] { self.current.map(\.handler) }

    /// The names of the plugins without which the gateway is not ready, and that are not.
    public var missing: [String] { self.current.filter { $0.instance.isRequired && !$0.isReady }.map(\.name) }

    /// Calls back once every plugin is ready or has failed to be for the first time.
    public func whenTried(_ callback: @escaping @Sendable () -> Void) {
        let services = self.current
        let left = Mutex(services.count)
        guard !services.isEmpty else { return callback() }
        for service in services {
            service.whenTried {
                let isLast = left.withLock { left in
                    left -= 1
                    return left == 0
                }
                if isLast { callback() }
            }
        }
    }

    /// Calls back once every plugin without which the gateway is not ready has been ready.
    public func whenRequiredAreReady(_ callback: @escaping @Sendable () -> Void) {
        let services = self.current.filter { $0.instance.isRequired }
        let left = Mutex(services.count)
        guard !services.isEmpty else { return callback() }
        for service in services {
            service.whenReady {
                let isLast = left.withLock { left in
                    left -= 1
                    return left == 0
                }
                if isLast { callback() }
            }
        }
    }

    /// Runs one more plugin. It belongs to the fleet only after ``replace(with:)``.
    /// - Throws: ``GatewayError`` with `unavailable` when the fleet ends.
    func launch(_ service: PluginService) throws(GatewayError) {
        if case .terminated = self.input.yield(service) { throw GatewayError(.unavailable, "the gateway stops") }
    }

    /// Says which plugins belong to the fleet from now on.
    func replace(with services: [PluginService]) {
        self.services.withLock { $0 = services }
    }

    /// Runs until graceful shutdown, and until nothing of any plugin is left.
    public func run() async {
        await withDiscardingTaskGroup { group in
            for service in self.current { group.addTask { await service.run() } }
            group.addTask {
                try? await gracefulShutdown()
                self.input.finish()
            }
            await self.runAdded()
        }
    }

    /// Runs the plugins that are added, until the fleet ends or the task is cancelled.
    func runAdded() async {
        await withDiscardingTaskGroup { group in
            for await service in self.launches { group.addTask { await service.run() } }
        }
    }
}
