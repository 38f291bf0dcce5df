import CastDiscovery
import Synchronization

/// A network in which the devices are heard that the test says.
final class ScriptedNetwork: MulticastNetwork, ServiceBrowser {
    private struct State {
        var sink: (@Sendable (BrowseEvent) -> Void)?
        var early: [BrowseEvent] = []
    }

    private let state = Mutex(State())

    /// Says something to the browser, or when there is one.
    func say(_ event: BrowseEvent) {
        let sink = self.state.withLock { state in
            if state.sink == nil { state.early.append(event) }
            return state.sink
        }
        sink?(event)
    }

    /// Lets a device be heard at a port of this machine.
    func announce(id: String, name: String, port: Int) {
        guard let id = DeviceID(id) else { return }
        self.say(
            .seen(
                ServiceSighting(
                    key: ServiceSighting.Key(instance: "Chromecast-\(id)", interface: 1, family: .ipv4),
                    interfaceName: "lo", host: "far.local", address: "127.0.0.1", port: port,
                    record: DeviceRecord(id: id, friendlyName: name))))
    }

    func makeBrowser(interfaces: [String]) -> any ServiceBrowser { self }
    func makePublisher() -> any ServicePublisher { AbsentNetwork() }
    func start() {}

    func start(_ sink: @escaping @Sendable (BrowseEvent) -> Void) {
        let early = self.state.withLock { state in
            state.sink = sink
            return state.early
        }
        for event in early { sink(event) }
    }

    func ask(for subtypes: Set<ServiceSubtype>) {}
    func scan() {}
    func stop() {}
}
