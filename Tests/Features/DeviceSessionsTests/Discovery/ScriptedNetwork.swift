import CastDiscovery
import CastWire
import DeviceSessions
import NIOCore
import Synchronization

/// A network of the test's own: browsers say what the test wants them to.
final class ScriptedNetwork: MulticastNetwork, DeviceAddressRegistry {
    final class Browser: ServiceBrowser {
        private struct State {
            var sink: (@Sendable (BrowseEvent) -> Void)?
            var subtypes: Set<ServiceSubtype> = []
            var scans = 0
            var isStopped = false
        }

        let interfaces: [String]
        private let state = Mutex(State())

        init(interfaces: [String]) {
            self.interfaces = interfaces
        }

        var subtypes: Set<ServiceSubtype> { self.state.withLock { $0.subtypes } }
        var scans: Int { self.state.withLock { $0.scans } }
        var isStopped: Bool { self.state.withLock { $0.isStopped } }

        func say(_ events: BrowseEvent...) {
            let sink = self.state.withLock { $0.sink }
            for event in events { sink?(event) }
        }

        func say(_ sightings: [ServiceSighting]) {
            for sighting in sightings { self.say(.seen(sighting)) }
        }

        func start(_ sink: @escaping @Sendable (BrowseEvent) -> Void) { self.state.withLock { $0.sink = sink } }
        func ask(for subtypes: Set<ServiceSubtype>) { self.state.withLock { $0.subtypes = subtypes } }
        func scan() { self.state.withLock { $0.scans += 1 } }
        func stop() { self.state.withLock { $0.isStopped = true } }
    }

    /// Touched on the test's event loop only.
    final class Listener: AnnouncementSource {
        let interfaces: [String]
        private(set) var sink: ((AnnouncementEvent) -> Void)?

        init(interfaces: [String]) {
            self.interfaces = interfaces
        }

        func start(_ sink: @escaping (AnnouncementEvent) -> Void) { self.sink = sink }
        func stop() { self.sink = nil }
    }

    struct Told: Hashable {
        let device: String
        let hosts: [String]
        let isAnnounced: Bool
    }

    private let made = Mutex<[Browser]>([])
    private let listening = Mutex<[NIOLoopBound<Listener>]>([])
    private let told = Mutex<[Told]>([])
    private let noted = Mutex<[String: Bool?]>([:])
    private let identities = Mutex<[String: ExpectedDevice]>([:])
    private let asked = Mutex<[[AppID]]>([])

    var browsers: [Browser] { self.made.withLock { $0 } }
    var updates: [Told] { self.told.withLock { $0 } }
    /// Which devices are said to show video.
    var showsVideo: [String: Bool?] { self.noted.withLock { $0 } }
    /// Which devices the names mean, as the address book was told.
    var meant: [String: ExpectedDevice] { self.identities.withLock { $0 } }
    /// Which apps devices were to be asked for, one after the other.
    var wantedApps: [[AppID]] { self.asked.withLock { $0 } }

    func makeBrowser(interfaces: [String]) -> any ServiceBrowser {
        let browser = Browser(interfaces: interfaces)
        self.made.withLock { $0.append(browser) }
        return browser
    }

    var listeners: [NIOLoopBound<Listener>] { self.listening.withLock { $0 } }

    func makeListener(interfaces: [String], on eventLoop: any EventLoop) -> (any AnnouncementSource)? {
        let listener = Listener(interfaces: interfaces)
        let bound = NIOLoopBound(listener, eventLoop: eventLoop)
        self.listening.withLock { $0.append(bound) }
        return listener
    }

    func makePublisher() -> any ServicePublisher { AbsentNetwork() }
    func start() {}
    func stop() async {}

    func update(device: String, candidates: [DeviceAddress], isAnnounced: Bool) {
        let told = Told(device: device, hosts: candidates.map(\.host), isAnnounced: isAnnounced)
        self.told.withLock { $0.append(told) }
    }

    func note(identity: ExpectedDevice?, of device: String) {
        self.identities.withLock { $0[device] = identity }
    }

    func note(showsVideo: Bool?, of device: String) {
        self.noted.withLock { $0[device] = .some(showsVideo) }
    }

    func ask(for apps: [AppID]) {
        self.asked.withLock { $0.append(apps) }
    }
}
