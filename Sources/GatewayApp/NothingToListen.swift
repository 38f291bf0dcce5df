import ServiceLifecycle

/// Stands in for virtual devices when there are none: says so once the gateway runs, and waits for its end.
struct NothingToListen: Service, CustomStringConvertible {
    let onRun: @Sendable () -> Void

    var description: String { "no virtual devices" }

    func run() async throws {
        self.onRun()
        try await gracefulShutdown()
    }
}
