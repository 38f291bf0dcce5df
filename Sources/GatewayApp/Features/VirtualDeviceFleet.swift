import GatewayCore
import ServiceLifecycle
import Synchronization
import VirtualDevices

/// The virtual devices that run. They come and go while it does, and stop together when it stops.
final class VirtualDeviceFleet: Service, CustomStringConvertible {
    private let services: Mutex<[String: any FleetMember]>
    private let onReady: Mutex<(@Sendable () -> Void)?> = Mutex(nil)
    private let launches: AsyncStream<any FleetMember>
    private let input: AsyncStream<any FleetMember>.Continuation

    init(_ services: [any FleetMember]) {
        self.services = Mutex(Dictionary(services.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first }))
        (self.launches, self.input) = AsyncStream.makeStream(of: (any FleetMember).self)
    }

    var description: String { "virtual devices" }

    /// The devices by name.
    var current: [String: any FleetMember] { self.services.withLock { $0 } }

    /// Where the devices can be reached, in the order of their names.
    var endpoints: [VirtualDeviceEndpoints] { self.current.values.compactMap(\.endpoints).sorted { $0.name < $1.name } }

    /// The ids under which the devices are announced, in order.
    var deviceIDs: [String] { self.current.values.compactMap(\.deviceID).sorted() }

    /// Says what is to be called once all devices listen; before ``run()``.
    func whenReady(_ callback: @escaping @Sendable () -> Void) {
        self.onReady.withLock { $0 = callback }
    }

    private func takeCallback() -> (@Sendable () -> Void)? {
        self.onReady.withLock { callback in
            defer { callback = nil }
            return callback
        }
    }

    /// Runs one more device. It belongs to the fleet only after ``replace(with:)``.
    /// - Throws: ``GatewayError`` when it cannot listen, or the fleet stops.
    func launch(_ service: any FleetMember) async throws {
        if case .terminated = self.input.yield(service) {
            throw GatewayError(.unavailable, "the gateway stops")
        }
        try await service.waitUntilListening()
    }

    /// Says which devices belong to the fleet from now on.
    func replace(with services: [String: any FleetMember]) {
        self.services.withLock { $0 = services }
    }

    /// Runs until graceful shutdown.
    /// - Throws: when one of the first devices cannot listen; the others are stopped then.
    func run() async throws {
        // The callback goes with the run, whether it has been called or not.
        defer { _ = self.takeCallback() }
        try await withThrowingDiscardingTaskGroup { group in
            let first = self.current.values.sorted { $0.name < $1.name }
            for service in first {
                group.addTask {
                    do {
                        try await service.run()
                    } catch {
                        self.input.finish()
                        throw error
                    }
                }
            }
            group.addTask {
                // A device that cannot listen ends the fleet by itself.
                for service in first where (try? await service.waitUntilListening()) == nil { return }
                self.takeCallback()?()
            }
            group.addTask {
                try? await gracefulShutdown()
                self.input.finish()
            }
            for await service in self.launches {
                // The caller that starts it learns why it cannot listen.
                group.addTask { try? await service.run() }
            }
        }
    }
}
