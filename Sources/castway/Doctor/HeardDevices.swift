import CastDiscovery
import Synchronization

/// Puts together what a browser tells while somebody listens.
final class HeardDevices: Sendable {
    private struct State {
        var obstacle: String? = "the Avahi daemon did not answer"
        var devices: [String: Set<String>] = [:]
    }

    private let state = Mutex(State())

    /// Takes an event, from whatever thread.
    func take(_ event: BrowseEvent) {
        self.state.withLock { state in
            switch event {
            case .browsing: state.obstacle = nil
            case .blocked(let reason): state.obstacle = reason
            case .seen(let sighting):
                state.devices[sighting.interfaceName, default: []].insert(sighting.record.friendlyName)
            case .gone, .settled: break
            }
        }
    }

    /// What it comes to by now.
    var hearing: AvahiCheck.Hearing {
        self.state.withLock { AvahiCheck.Hearing(obstacle: $0.obstacle, devices: $0.devices) }
    }
}
