import ServiceLifecycle

/// Something that a service group can end.
struct StoppableService: Service {
    let body: @Sendable () async throws -> Void

    func run() async throws {
        try await self.body()
    }
}
