import CastDiscovery
import ServiceLifecycle
import Synchronization
import VirtualDevices

/// Keeps the connection to the mDNS daemon as long as the gateway runs, from the moment when something needs it.
final class MulticastService: Service, CustomStringConvertible {
    private enum Phase {
        case waiting, started, stopped
    }

    private let network: any MulticastNetwork
    private let announcer: DeviceAnnouncer
    private let phase: Mutex<Phase>
    private let isNeeded: @Sendable () -> Bool

    init(network: any MulticastNetwork, announcer: DeviceAnnouncer, isNeeded: @escaping @Sendable () -> Bool) {
        self.network = network
        self.announcer = announcer
        self.phase = Mutex(.waiting)
        self.isNeeded = isNeeded
    }

    var description: String { "mDNS" }

    /// Connects when devices are to be found or announced, and it has not been done yet.
    func startIfNeeded() {
        guard self.isNeeded() else { return }
        let begins = self.phase.withLock { phase in
            guard phase == .waiting else { return false }
            phase = .started
            return true
        }
        if begins { self.network.start() }
    }

    func run() async throws {
        self.startIfNeeded()
        try? await gracefulShutdown()
        self.announcer.stop()
        let isStarted = self.phase.withLock { phase in
            defer { phase = .stopped }
            return phase == .started
        }
        if isStarted { await self.network.stop() }
    }
}
