import CastDiscovery
import Synchronization

/// A network that writes down what is announced: `+room@guests0` announced, `-room@guests0` withdrawn.
final class AnnouncedNetwork: MulticastNetwork, ServicePublisher {
    private let lines = Mutex<[String]>([])

    var history: [String] { self.lines.withLock { $0 } }

    func makeBrowser(interfaces: [String]) -> any ServiceBrowser { AbsentNetwork() }
    func makePublisher() -> any ServicePublisher { self }
    func start() {}
    func start(_ sink: @escaping @Sendable (PublishEvent) -> Void) {}
    func stop() {}

    func publish(_ service: PublishedService, as key: String) { self.lines.withLock { $0.append("+\(key)") } }
    func withdraw(_ key: String) { self.lines.withLock { $0.append("-\(key)") } }
}
