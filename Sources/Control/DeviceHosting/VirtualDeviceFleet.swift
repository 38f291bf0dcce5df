import DeviceListening
import GatewayCore
import Passthrough
import ServiceLifecycle
import Synchronization
package import VirtualDevices

/// The virtual devices that run. They come and go while it does, and stop together when it stops.
package final class VirtualDeviceFleet: Service, CustomStringConvertible {
    private let services: Mutex<[String: ListeningService]>
    private let onReady: Mutex<(@Sendable () -> Void)?> = Mutex(nil)
    private let launches: AsyncStream<ListeningService>
    private let input: AsyncStream<ListeningService>.Continuation

    init(_ services: [ListeningService]) {
        self.services = Mutex(Dictionary(services.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first }))
        (self.launches, self.input) = AsyncStream.makeStream(of: ListeningService.self)
    }

    package var description: String { "virtual devices" }

    var current: [String: ListeningService] { self.services.withLock { $0 } }

    /// Where the devices can be reached, in the order of their names.
    package var endpoints: [VirtualDeviceEndpoints] {
        self.current.values.compactMap(\.endpoints).sorted { $0.name < $1.name }
    }

    /// The devices whose senders end here.
    package var own: [VirtualDeviceHost] { self.current.values.compactMap { $0.device as? VirtualDeviceHost } }

    /// The devices whose senders are passed through.
    var passed: [PassthroughHost] { self.current.values.compactMap { $0.device as? PassthroughHost } }

    /// The device of a name, if its senders end here.
    func own(_ name: String) -> VirtualDeviceHost? { self.current[name]?.device as? VirtualDeviceHost }

    /// The device of a name, if its senders are passed through.
    func passed(_ name: String) -> PassthroughHost? { self.current[name]?.device as? PassthroughHost }

    /// The ids of their own under which devices are announced, in order; one that is passed through has that of the real device.
    package var deviceIDs: [String] { self.own.compactMap(\.deviceID).sorted() }

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
    func launch(_ service: ListeningService) async throws {
        if case .terminated = self.input.yield(service) {
            throw GatewayError(.unavailable, "the gateway stops")
        }
        try await service.untilListening()
    }

    /// Says which devices belong to the fleet from now on.
    func replace(with services: [String: ListeningService]) {
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
                for service in first where (try? await service.untilListening()) == nil { return }
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
