import ServiceLifecycle

/// A service that begins when a gate opens, and not at all when the gateway stops before.
struct AfterReady: Service, CustomStringConvertible {
    let gate: AsyncStream<Never>
    let service: any Service & CustomStringConvertible

    var description: String { self.service.description }

    func run() async throws {
        for await _ in self.gate.cancelOnGracefulShutdown() {}
        try await self.service.run()
    }
}
