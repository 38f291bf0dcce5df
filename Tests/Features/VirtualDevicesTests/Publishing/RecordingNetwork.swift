import CastDiscovery
import Synchronization

/// A network that writes down what is announced.
final class RecordingNetwork: MulticastNetwork, ServicePublisher {
    private struct State {
        var sink: (@Sendable (PublishEvent) -> Void)?
        var services: [String: PublishedService] = [:]
        var history: [String] = []
    }

    private let state = Mutex(State())

    /// What is announced now.
    var services: [String: PublishedService] { self.state.withLock { $0.services } }
    /// What was done: `+hall` announced, `-hall` withdrawn.
    var history: [String] { self.state.withLock { $0.history } }

    func tell(_ event: PublishEvent) { self.state.withLock { $0.sink }?(event) }

    func makeBrowser(interfaces: [String]) -> any ServiceBrowser { AbsentNetwork() }
    func makePublisher() -> any ServicePublisher { self }
    func start() {}
    func start(_ sink: @escaping @Sendable (PublishEvent) -> Void) { self.state.withLock { $0.sink = sink } }
    func stop() {}

    func publish(_ service: PublishedService, as key: String) {
        self.state.withLock {
            $0.services[key] = service
            $0.history.append("+\(key)")
        }
    }

    func withdraw(_ key: String) {
        self.state.withLock {
            $0.services[key] = nil
            $0.history.append("-\(key)")
        }
    }
}
