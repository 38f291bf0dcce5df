import ServiceLifecycle
import Synchronization

/// Holds services back until the gateway knows that it is the only one: before, nothing is dialled, listened on or
/// changed that may be another gateway's.
final class StartGate: Sendable {
    private struct State {
        var isOpen = false
        var keepers: [AsyncStream<Never>.Continuation] = []
    }

    private let state = Mutex(State())

    /// Lets the services begin; later calls do nothing.
    func open() {
        let keepers = self.state.withLock { state in
            state.isOpen = true
            defer { state.keepers = [] }
            return state.keepers
        }
        for keeper in keepers { keeper.finish() }
    }

    /// A service that begins when the gate opens, and not at all when the gateway stops before.
    func holding(_ service: any Service & CustomStringConvertible) -> any Service {
        let (gate, keeper) = AsyncStream.makeStream(of: Never.self)
        let isOpen = self.state.withLock { state in
            if !state.isOpen { state.keepers.append(keeper) }
            return state.isOpen
        }
        if isOpen { keeper.finish() }
        return HeldService(gate: gate, service: service) { self.state.withLock(\.isOpen) }
    }
}

private struct HeldService: Service, CustomStringConvertible {
    let gate: AsyncStream<Never>
    let service: any Service & CustomStringConvertible
    let isOpen: @Sendable () -> Bool

    var description: String { self.service.description }

    func run() async throws {
        for await _ in self.gate.cancelOnGracefulShutdown() {}
        guard self.isOpen() else { return }
        try await self.service.run()
    }
}
