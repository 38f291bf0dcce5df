import CastDiscovery
import NIOCore
import NIOPosix
import Synchronization

/// Whether the Avahi daemon can be reached over D-Bus, and which Cast devices are heard through it on which interface.
struct AvahiCheck: DoctorCheck {
    /// What a listening came to.
    struct Hearing: Sendable, Equatable {
        /// Why nothing can be heard; nil while it can.
        var obstacle: String?
        /// The names of the devices, by interface.
        var devices: [String: Set<String>] = [:]
    }

    /// How long to listen.
    let timeout: Duration
    /// The user of the service, as which the daemon is reached; nil for the one that asks.
    var service: ServiceUser?
    /// Where the system bus is, if it can be told.
    var busAddress: String? = Self.busAddress
    /// Listens for that long, as a user.
    var listen: @Sendable (Duration, ServiceUser?) async -> Hearing = { await Self.listen(for: $0, as: $1) }

    let name = "discovery"

    private static let daemonAdvice =
        "apt-get install avahi-daemon, then systemctl enable --now avahi-daemon; "
        + "without it, devices are reached by discovery.static alone, and discovery.mdns: {enabled: false} says so"

    private static let userAdvice =
        "give castway.service the static user that comes with it: User=castway, without DynamicUser=yes, whose users the bus "
        + "does not know; Docs/systemd.md"

    func findings() async -> [DoctorFinding] {
        if let obstacle = self.busObstacle {
            return .fail(
                "D-Bus", obstacle,
                advice: "start the system bus (systemctl start dbus), or give the container /run/dbus")
        }
        let hearing = await self.listen(self.timeout, self.service)
        if let obstacle = hearing.obstacle {
            guard let service, await self.listen(self.timeout, nil).obstacle == nil else {
                return .fail("Avahi", obstacle, advice: Self.daemonAdvice)
            }
            return .fail(
                "Avahi", "reached, but not as \(service.name), as which the service runs: \(obstacle)",
                advice: Self.userAdvice)
        }
        let reached = DoctorFinding.ok("Avahi", self.service.map { "reached, as \($0.name)" } ?? "reached")
        let whole = self.timeout.components.seconds
        let seconds = whole > 0 ? "\(whole) s" : "a moment"
        guard !hearing.devices.isEmpty else {
            return [
                reached,
                .warn(
                    "Cast devices", "none heard within \(seconds)",
                    advice:
                        "if there are some: same network and VLAN? UDP 5353 open (ufw allow mdns)? Does the access point "
                        + "keep its clients apart, or filter multicast?"),
            ]
        }
        return [reached]
            + hearing.devices.sorted { $0.key < $1.key }.map { interface, names in
                let shown = names.sorted().prefix(5).joined(separator: ", ")
                let more = names.count > 5 ? " and \(names.count - 5) more" : ""
                return .ok(
                    "Cast devices on \(interface.isEmpty ? "?" : interface)",
                    "\(names.count) heard within \(seconds): \(shown)\(more)")
            }
    }

    /// What stands in the way of the system bus, as far as one can see without speaking D-Bus.
    private var busObstacle: String? {
        guard let busAddress else { return nil }
        let reason = UnixSocketProbe.obstacle(at: busAddress)
        return reason.map { "no system bus at \(busAddress): \($0)" }
    }

    /// The socket of the system bus: what the environment says, else the usual one; nil for one that is no plain path.
    private static var busAddress: String? {
        let variable = ProcessEnvironment.variables["DBUS_SYSTEM_BUS_ADDRESS"] ?? ""
        guard !variable.isEmpty else { return "/run/dbus/system_bus_socket" }
        guard let path = variable.split(separator: ";").first?.split(separator: ",").first, path.hasPrefix("unix:path=")
        else { return nil }
        return String(path.dropFirst("unix:path=".count))
    }

    private static func listen(for time: Duration, as user: ServiceUser?) async -> Hearing {
        guard let network = AvahiConnection(as: user?.owner) else {
            return Hearing(obstacle: "the system has no descriptors or memory left")
        }
        return await Self.listen(to: network, for: time)
    }

    /// Listens to a network for a while.
    static func listen(to network: any MulticastNetwork, for time: Duration) async -> Hearing {
        let heard = HeardDevices()
        let browser = network.makeBrowser(interfaces: [])
        browser.start { heard.take($0) }
        network.start()
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        try? await loop.scheduleTask(in: TimeAmount(time)) {}.futureResult.get()
        browser.stop()
        await network.stop()
        return heard.hearing
    }
}

/// Puts together what a browser tells while a check listens.
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
