import CastDiscovery
import Synchronization

/// A network in which devices are heard as the test says, and where it is seen what is announced.
final class StageNetwork: MulticastNetwork, ServicePublisher {
    private struct State {
        var services: [String: PublishedService] = [:]
        var watchers: [AsyncStream<[String: PublishedService]>.Continuation] = []
    }

    private let heard = ScriptedNetwork()
    private let state = Mutex(State())

    /// Begins with a daemon that is there.
    init() {
        self.heard.say(.browsing)
    }

    /// What is announced now, by the names of virtual devices.
    var services: [String: PublishedService] { self.state.withLock { $0.services } }

    // MARK: What the test says

    /// Lets a device be heard at a port of this machine.
    func announce(
        _ id: String, _ name: String, port: Int, address: String = "127.0.0.1", capabilities: DeviceCapabilities = [],
        other: [TXTEntry] = []
    ) {
        guard let id = DeviceID(id) else { return }
        self.heard.say(
            .seen(
                ServiceSighting(
                    key: Self.key(id), interfaceName: "lo", host: "far.local", address: address, port: port,
                    record: DeviceRecord(
                        id: id, friendlyName: name, model: "Chromecast Ultra", capabilities: capabilities, other: other)
                )))
    }

    /// Lets a device say goodbye.
    func leave(_ id: String) {
        guard let id = DeviceID(id) else { return }
        self.heard.say(.gone(Self.key(id)))
    }

    private static func key(_ id: DeviceID) -> ServiceSighting.Key {
        ServiceSighting.Key(instance: "Chromecast-\(id)", interface: 1, family: .ipv4)
    }

    // MARK: What the test sees

    /// Waits until what is announced is as the test wants it.
    func until<Result: Sendable>(_ condition: ([String: PublishedService]) -> Result?) async -> Result? {
        let (changes, watcher) = AsyncStream.makeStream(of: [String: PublishedService].self)
        self.state.withLock { state in
            state.watchers.append(watcher)
            watcher.yield(state.services)
        }
        for await services in changes {
            if let result = condition(services) { return result }
        }
        return nil
    }

    private func change(_ key: String, to service: PublishedService?) {
        self.state.withLock { state in
            state.services[key] = service
            for watcher in state.watchers { watcher.yield(state.services) }
        }
    }

    // MARK: The network

    func makeBrowser(interfaces: [String]) -> any ServiceBrowser { self.heard }
    func makePublisher() -> any ServicePublisher { self }
    func start() {}
    func start(_ sink: @escaping @Sendable (PublishEvent) -> Void) {}
    func publish(_ service: PublishedService, as key: String) { self.change(key, to: service) }
    func withdraw(_ key: String) { self.change(key, to: nil) }
    func stop() {}
}
