import CastDiscovery
package import DeviceSessions
package import FeatureContract
import GatewayConfig
import GatewayCore
import GatewayOperations
import Passthrough
import ServiceLifecycle
import Synchronization

/// The devices whose senders are passed through: tells each of them what discovery knows of the real device, whenever that changes.
///
/// They run in the fleet of the virtual devices, as all others do. A real device is found by its id, its name in `discovery.static`, or the
/// name that people read; by the last one it keeps to the device that it found first, as long as that is there.
package final class PassthroughFeature: GatewayFeature, Service, CustomStringConvertible {
    private struct State {
        /// The ids of the devices that were found by names.
        var bound: [String: String] = [:]
        /// What the devices were told. They are held, so that a new one at the same place in memory is not taken for one of these.
        var told: [String: Told] = [:]
    }

    private struct Told {
        let host: PassthroughHost
        let target: String
        let device: PassedDevice?
    }

    package let name = "passthrough"
    private let context: GatewayContext
    private let discovery: DeviceDiscovery
    private let fleet: VirtualDeviceFleet
    private let state = Mutex(State())
    private let wakes: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation

    /// - Parameters:
    ///   - discovery: the devices of the network.
    ///   - fleet: the virtual devices that run.
    package init(_ context: GatewayContext, discovery: DeviceDiscovery, fleet: VirtualDeviceFleet) {
        self.context = context
        self.discovery = discovery
        self.fleet = fleet
        (self.wakes, self.waker) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    package var description: String { self.name }

    package func services(among features: [any GatewayFeature]) -> [StagedService] {
        [StagedService(.devicesListening, self)]
    }

    package func run() async throws {
        let changes = self.context.events.subscribe(limit: 1, seesMessages: false) { event in
            if case .deviceListDidUpdate = event { true } else { false }
        }
        self.waker.yield()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await _ in changes.events { self.waker.yield() }
            }
            for await _ in self.wakes.cancelOnGracefulShutdown() { self.follow() }
            group.cancelAll()
        }
    }

    package func prepare(_ change: inout ConfigurationChange) -> PreparedChange? {
        // The devices of the new configuration run by now.
        PreparedChange(settle: { self.waker.yield() })
    }

    /// Tells each device what is known of the real one.
    private func follow() {
        let devices = self.discovery.devices
        let hosts = self.fleet.passed
        self.state.withLock { state in
            var told: [String: Told] = [:]
            for host in hosts {
                let target = host.settings.target
                let device = Self.device(target, among: devices, &state.bound).map { PassedDevice($0, named: target) }
                let last = state.told[host.name]
                told[host.name] = Told(host: host, target: target, device: device)
                // With another target it begins without a device, be it the same.
                if let last, last.host === host, last.target == target, last.device == device { continue }
                host.follow(device)
            }
            state.told = told
            let targets = Set(hosts.map(\.settings.target))
            state.bound = state.bound.filter { targets.contains($0.key) }
        }
    }

    private static func device(
        _ target: String, among devices: [DiscoveredDevice], _ bound: inout [String: String]
    ) -> DiscoveredDevice? {
        let id = DeviceID(target)?.text
        if let device = devices.first(where: {
            $0.staticName == target || $0.id == target || $0.uniqueID == target || $0.id == id
        }) {
            return device
        }
        let named = devices.filter { $0.friendlyName == target }
        let device = named.first { $0.id == bound[target] } ?? named.first
        if let device { bound[target] = device.id }
        return device
    }

    package var warnings: [GatewayWarning] {
        get async {
            self.fleet.passed.filter { $0.state == .sameNetwork }.sorted { $0.name < $1.name }.map {
                GatewayWarning(
                    .passthroughInOwnNetwork,
                    "'\($0.settings.target)' is itself in a network in which '\($0.name)' is to be announced, and is not announced there",
                    device: $0.name)
            }
        }
    }
}

extension PassedDevice {
    /// What discovery knows of a device that goes by a name.
    fileprivate init(_ device: DiscoveredDevice, named name: String) {
        self.init(
            record: device.record, subtypes: device.subtypes,
            addresses: device.addresses.map { DialAddress(host: $0.host, port: $0.port) },
            hearing: Dictionary(
                device.hearing.map { (DialAddress(host: $0.key.host, port: $0.key.port), $0.value) },
                uniquingKeysWith: { $0.union($1) }))
        self.identity = device.identity(as: name)
    }
}
