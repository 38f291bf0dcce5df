import CastDiscovery
import GatewayConfig
import GatewayCore
import NIOCore
import Passthrough
import ServiceLifecycle
import VirtualDevices

/// A service that listens as one virtual device, whatever becomes of its senders: they end here, or are passed through to a real device.
///
/// The fleet runs them, and a reload changes them, without a difference.
protocol FleetMember: Service, AnyObject {
    /// The name in `gateway.yaml`.
    var name: String { get }
    /// Where senders connect.
    var listen: ListenAddress { get }
    /// Where it can be reached now; nil while it cannot.
    var endpoints: VirtualDeviceEndpoints? { get }
    /// The id of its own that it is announced under; nil before it listens, and for one that has the id of the real device.
    var deviceID: String? { get }
    /// What senders show for it, when that is not what the configuration says; nil for one that has no name of another's.
    var shownName: String? { get }
    /// What it announces that it can do; nil when that is the real device's affair.
    var capabilities: DeviceCapabilities? { get }
    /// Whether it was made for a device that discovery has found.
    var isDiscovered: Bool { get }
    /// How it is, in a word of `virtual_devices.list`; nil for one of which there is no more to say than whether it listens.
    var stateWord: String? { get }
    /// When the TLS certificate ends that new channels are served, in seconds since 1970; nil when it serves none.
    var certificateEnd: Int64? { get }
    /// The event loop that it lives on; nil while it does not run.
    var eventLoop: (any EventLoop)? { get }
    /// The sockets that it listens on.
    var sockets: [any Channel] { get }

    /// Waits until it listens.
    /// - Throws: what keeps it from listening.
    func waitUntilListening() async throws
    /// Lets in senders that have been waiting.
    func accept() async throws
    /// Listens no more; senders that are connected stay until ``stop(_:)``.
    func giveUpAddresses() async
    /// Ends it.
    func stop(_ reason: String)
    /// Announces it while what stands behind it is there.
    func announce(whileTargetIsThere isThere: Bool)
    /// The listening sockets that another configuration has no use for; nil means that it goes away.
    func sockets(givenUpFor configuration: VirtualDeviceConfiguration?) -> [any Channel]
    /// Makes what another configuration needs; what runs goes on.
    /// - Throws: ``GatewayError`` when that cannot be had; nothing has changed then.
    func prepare(_ configuration: VirtualDeviceConfiguration, by maker: FleetMaker) async throws -> any FleetChange
}

/// A member of the fleet that is ready for another configuration: either ``commit()`` or ``undo()`` follows.
protocol FleetChange: Sendable {
    /// The sockets bound for it.
    var boundSockets: [any Channel] { get }
    /// Puts the configuration in force.
    func commit() async throws
    /// Gives up what was prepared.
    func undo() async
}

extension VirtualDeviceChange: FleetChange {}
extension PassthroughChange: FleetChange {}

extension VirtualDeviceService: FleetMember {
    var listen: ListenAddress { self.configuration.listen }
    var capabilities: DeviceCapabilities? {
        DeviceCapabilities(rawValue: UInt64(clamping: self.configuration.capabilities))
    }
    var isDiscovered: Bool { self.configuration.isDiscovered }
    var shownName: String? { nil }
    var stateWord: String? { nil }

    func waitUntilListening() async throws { try await self.untilListening() }

    func sockets(givenUpFor configuration: VirtualDeviceConfiguration?) -> [any Channel] {
        self.sockets(givenUpFor: configuration?.device)
    }

    func prepare(_ configuration: VirtualDeviceConfiguration, by maker: FleetMaker) async throws -> any FleetChange {
        try await self.prepare(
            configuration.announced, target: maker.target(of: configuration), environment: maker.environment,
            sharedPorts: maker.sharedPorts)
    }
}

extension PassthroughService: FleetMember {
    var listen: ListenAddress { self.settings.listen }
    var deviceID: String? { nil }
    var capabilities: DeviceCapabilities? { nil }
    var isDiscovered: Bool { false }
    var stateWord: String? { self.state.rawValue }
    var certificateEnd: Int64? { nil }

    var endpoints: VirtualDeviceEndpoints? {
        self.castPort.map {
            VirtualDeviceEndpoints(
                name: self.name, friendlyName: self.name, castPort: $0, setupHTTPPort: self.setupPort,
                setupHTTPSPort: nil)
        }
    }

    func waitUntilListening() async throws { try await self.untilListening() }

    /// It is told by ``follow(_:)`` whether the device is there.
    func announce(whileTargetIsThere isThere: Bool) {}

    func sockets(givenUpFor configuration: VirtualDeviceConfiguration?) -> [any Channel] {
        self.sockets(givenUpFor: configuration?.passthrough(timeZone: nil))
    }

    func prepare(_ configuration: VirtualDeviceConfiguration, by maker: FleetMaker) async throws -> any FleetChange {
        guard let settings = configuration.passthrough(timeZone: maker.timeZone) else {
            // A device that becomes one of another kind is replaced.
            throw GatewayError(.unavailable, "'\(self.name)' is not passed through any more")
        }
        return try await self.prepare(
            settings, environment: maker.passthrough, sharedPorts: maker.sharedPorts)
    }
}
