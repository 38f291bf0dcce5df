import ServiceLifecycle

/// Services that begin and end together, where a service group would end one after the other: each virtual device may
/// take as long as `shutdown.drain` to end.
struct SideBySide: Service, CustomStringConvertible {
    let description: String
    let services: [any Service]

    /// Runs all of them; the failure of one ends the others.
    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for service in self.services {
                group.addTask { try await service.run() }
            }
            // Not `waitForAll`, which would let the others run on.
            while try await group.next() != nil {}
        }
    }
}
