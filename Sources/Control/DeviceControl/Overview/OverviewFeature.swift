package import BuiltInReceiver
import CastDiscovery
import CastWire
package import DeviceSessions
package import FeatureContract
import GatewayCore
import GatewayOperations
import GatewaySettings
import NIOCore
import Passthrough
import VirtualDevices

/// What there is and what runs: all devices, who is connected to them, and the operations on virtual devices.
///
/// It owns no state; it asks the features that do.
package final class OverviewFeature: OperatingFeature {
    package let name = "overview"
    package let context: GatewayContext
    /// Finds the devices that callers name, and knows which there are.
    package let resolver: DeviceResolver
    /// The virtual devices that run.
    let running: RunningDevices
    /// Who is connected to them, and to those whose senders are passed through.
    let connected: ConnectedSenders
    /// Sends messages to virtual devices.
    let senders: any InternalSenders
    /// The speaker groups among the virtual devices.
    let groups: SpeakerGroups
    private let listing: any VirtualDeviceListing

    /// - Parameters:
    ///   - groups: the speaker groups among the virtual devices.
    ///   - listing: lists virtual devices, with those that were found.
    package init(
        _ context: GatewayContext, resolver: DeviceResolver, connected: ConnectedSenders, groups: SpeakerGroups,
        listing: any VirtualDeviceListing
    ) {
        self.context = context
        self.resolver = resolver
        self.running = connected.running
        self.connected = connected
        self.senders = VirtualDeviceSenders(connected.running)
        self.groups = groups
        self.listing = listing
    }

    package static let offered: [Offer<OverviewFeature>] = [
        Offer { ListDevices(feature: $0) },
        Offer { GetDevice(feature: $0) },
        Offer { FindDevice(feature: $0) },
        Offer { ProbeDevice(feature: $0) },
        Offer { CanDisplay(feature: $0) },
        Offer { ListSenders(feature: $0) },
        Offer { GetVirtualDevice(feature: $0) },
        Offer { LaunchOnVirtualDevice(feature: $0) },
        Offer { StopVirtualDevice(feature: $0) },
        Offer { DisconnectSenders(feature: $0) },
        Offer { ListGroupMembers(feature: $0) },
        Offer { ChangeGroup(feature: $0) },
        Offer { SimulateOnVirtualDevice(feature: $0) },
        Offer { ExplainRoute(resolver: $0.resolver, context: $0.context) },
    ]

    // MARK: What there is

    /// The real devices that the gateway keeps a channel to.
    package var directory: DeviceSessionDirectory { self.resolver.directory }
    /// The devices of the network.
    package var discovery: DeviceDiscovery { self.resolver.discovery }

    /// The virtual devices that a caller may see, with what runs on them.
    func virtualDevices(for caller: Caller) async -> [VirtualDeviceResult.Source] {
        let overviews = Dictionary(
            await self.running.overviews().map { ($0.state.name, $0) }, uniquingKeysWith: { first, _ in first })
        let passed = Dictionary(
            await self.connected.passed.overviews().map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var devices: [VirtualDeviceResult.Source] = []
        for listed in self.listing.list(for: caller).devices {
            devices.append(await self.virtualDevice(listed, overviews[listed.name], passed[listed.name]))
        }
        return devices
    }

    /// One virtual device.
    /// - Throws: `unavailable` when it has just ended.
    func virtualDevice(
        _ device: DeviceResolver.NamedDevice
    ) async throws(OperationProblem) -> VirtualDeviceResult.Source {
        guard let listed = self.listing.list(for: .admin).devices.first(where: { $0.name == device.name }) else {
            throw OperationProblem(GatewayError(.unavailable, "the virtual device \(device.name) does not run"))
        }
        let overview = await self.running.overview(of: device.name)
        let passed = await self.connected.passed.overview(of: device.name)
        try Unanswered.check(device)
        return await self.virtualDevice(listed, overview, passed)
    }

    private func virtualDevice(
        _ listed: ListedVirtualDeviceResult.Source, _ overview: VirtualDeviceOverview?, _ passed: PassthroughOverview?
    ) async -> VirtualDeviceResult.Source {
        var isTargetOnline = listed.target.map(self.directory.isOnline)
        if let passed { isTargetOnline = !(await self.isMissed(passed.target)) && passed.state != .away }
        return VirtualDeviceResult.Source(
            listed: listed, overview: overview, passed: passed, isTargetOnline: isTargetOnline, context: self.context)
    }

    /// Whether the gateway's own channel does not reach the device behind a passthrough. One that is written down is known to discovery while
    /// it is off, too.
    private func isMissed(_ target: String) async -> Bool {
        guard let state = await self.directory.state(of: target) else { return false }
        return !state.isOnline && state.reason != nil
    }

    /// The real devices that a caller may see.
    func realDevices(for caller: Caller) async -> [RealDeviceResult.Source] {
        var devices: [RealDeviceResult.Source] = []
        for entry in self.resolver.realDevices where caller.mayUse(device: entry.name) {
            devices.append(await self.realDevice(entry))
        }
        return devices
    }

    /// One real device.
    /// - Throws: `unavailable` when its event loop does not answer.
    func realDevice(_ device: DeviceResolver.NamedDevice) async throws(OperationProblem) -> RealDeviceResult.Source {
        let real = await self.realDevice(self.resolver.entry(device))
        try Unanswered.check(device)
        return real
    }

    private func realDevice(_ entry: RealDeviceNames.Entry) async -> RealDeviceResult.Source {
        RealDeviceResult.Source(
            entry: entry, state: await self.directory.state(of: entry.name),
            index: entry.found.flatMap { found in self.discovery.devices.firstIndex { $0.id == found.id } },
            proof: self.directory.authentication(of: entry.name),
            virtualDevices: self.context.configuration.current.virtualDevices.filter { $0.realDevice == entry.name }
                .map(\.name),
            context: self.context)
    }

    /// The senders that are connected to virtual devices which a caller may see.
    func senders(for caller: Caller) async -> [ListedSenderResult.Source] {
        await self.connected.all().filter { caller.mayUse(device: $0.device) }.flatMap { device, senders in
            senders.map { (device: device, sender: SenderResult.Source(sender: $0, context: self.context)) }
        }
    }
}
