import ServiceLifecycle

/// The last service of the gateway, so the first to learn that it stops.
struct ShutdownWatch: Service, CustomStringConvertible {
    let onShutdown: @Sendable () -> Void

    var description: String { "shutdown" }

    func run() async throws {
        try? await gracefulShutdown()
        self.onShutdown()
    }
}
