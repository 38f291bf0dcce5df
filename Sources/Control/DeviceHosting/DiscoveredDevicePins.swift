import BuiltInReceiver
import CastDiscovery
package import CastIdentity
import CastWire
package import DeviceSessions
package import GatewayConfig
package import GatewaySettings
package import Logging
import NIOCore
import NIOPosix
import Synchronization
import VirtualDevices

/// The pins of discovered devices, on disk and as they stand, and the virtual devices that follow from them.
///
/// Made before the virtual devices, so that those of earlier runs start with the others.
package final class DiscoveredDevicePins: Sendable {
    private struct State {
        var machine: DevicePinStateMachine
        /// Where the discovered devices are, by id, when they were listed last.
        var addresses: [DeviceID: [DeviceAddress]] = [:]
        /// The names of virtual devices that do not run since another program has their port, with when to look again.
        var blocked: [String: NIODeadline] = [:]
        /// Names that clash with configured ones and have been told.
        var toldClashes: Set<String> = []
    }

    /// How long a port that is another program's is left alone.
    private static let blockedPause = TimeAmount.seconds(60)

    private let state: Mutex<State>
    private let store: DevicePinStore?
    private let logger: Logger
    private let wallClock: @Sendable () -> Int64

    /// Reads the pins of earlier runs. Blocks on the disk.
    /// - Parameter times: how long things are waited for.
    package init(
        identities: IdentityStore, times: DevicePinStateMachine.Times, logger: Logger,
        wallClock: @escaping @Sendable () -> Int64
    ) {
        var pins: [DevicePin] = []
        var store: DevicePinStore?
        do {
            store = try DevicePinStore(database: identities.database)
            pins = try store?.load() ?? []
        } catch {
            logger.error(
                "Discovered devices cannot be remembered; none gets a virtual device", metadata: ["reason": "\(error)"])
            store = nil
        }
        self.store = store
        self.logger = logger
        self.wallClock = wallClock
        self.state = Mutex(State(machine: DevicePinStateMachine(pins: pins, times: times)))
    }

    /// Whether devices can be remembered; without that none is pinned.
    var isUsable: Bool { self.store != nil }
    /// The pins, the oldest first.
    var pins: [DevicePin] { self.state.withLock { $0.machine.pins } }
    /// How many devices are heard that have no virtual device since there is no room.
    var refusedCount: Int { self.state.withLock { $0.machine.refusedCount } }

    /// Whether a device is there, or has been a moment ago.
    func isThere(_ pin: DevicePin) -> Bool { self.state.withLock { $0.machine.isThere(pin.id) } }

    /// When something is to be done though nothing happens; nil for never.
    var nextDeadline: NIODeadline? {
        self.state.withLock { state in
            (state.blocked.values + [state.machine.nextDeadline].compactMap(\.self)).min()
        }
    }

    /// Takes what happened.
    func handle(_ event: DevicePinStateMachine.Event) -> [DevicePinStateMachine.Action] {
        let time = self.wallClock()
        return self.state.withLock { $0.machine.handle(event, at: .now(), time: time) }
    }

    // MARK: On disk

    /// Writes a pin down; a failure costs only what is newer than the last time.
    func keep(_ pin: DevicePin) async {
        await self.write("A discovered device cannot be written down", pin) { store in
            try store.save(pin) { self.pins.contains { $0.id == pin.id } }
        }
    }

    /// Strikes a pin out.
    func remove(_ pin: DevicePin) async {
        await self.write("A forgotten device cannot be struck out", pin) { try $0.remove(pin.id) }
    }

    private func write(
        _ failure: Logger.Message, _ pin: DevicePin, _ body: @escaping @Sendable (DevicePinStore) throws -> Void
    ) async {
        guard let store else { return }
        do {
            try await NIOThreadPool.singleton.runIfActive { try body(store) }
        } catch {
            self.logger.error(failure, metadata: ["device": "\(pin.name)", "reason": "\(error)"])
        }
    }

    // MARK: Which virtual devices there are

    /// Takes what is listed, and makes candidates of the devices that may have a virtual device.
    /// - Parameter own: where this gateway's virtual devices listen.
    func candidates(
        among devices: [DiscoveredDevice], for configuration: GatewayConfiguration, own: [ListenAddress]
    ) -> [DevicePinStateMachine.Candidate] {
        guard let template = configuration.discovery.template, self.isUsable else { return [] }
        let machine = MachineAddresses.current
        let written = configuration.withoutDiscovered
        var addresses: [DeviceID: [DeviceAddress]] = [:]
        let candidates = devices.compactMap { device -> DevicePinStateMachine.Candidate? in
            guard device.isAnnounced, let id = DeviceID(device.id), let traits = DevicePin.Traits(device) else {
                return nil
            }
            addresses[id] = device.addresses
            let isOwn = device.addresses.contains { address in
                let dialled = DialAddress(host: address.host, port: address.port)
                return own.contains { $0.isReached(at: dialled, machine: machine) }
            }
            guard device.record?.isVirtualDevice == false, !isOwn, template.match.matches(traits, id: id.text),
                !written.relays(to: id, named: traits.friendlyName, at: device.addresses)
            else { return nil }
            return DevicePinStateMachine.Candidate(id: id, traits: traits, addresses: device.addresses)
        }
        self.state.withLock { state in
            // Of a pinned device that is away, the last addresses still say which virtual device relays to it.
            let pinned = Set(state.machine.pins.map(\.id))
            state.addresses = state.addresses.filter { pinned.contains($0.key) }.merging(addresses) { $1 }
        }
        return candidates
    }

    /// Gives a configuration the virtual devices of discovered devices, in the place of those that it has.
    /// - Parameter running: where those listen that run, by their names.
    package func complete(_ configuration: inout GatewayConfiguration, running: [String: ListenAddress]) async {
        let devices = await self.virtualDevices(for: configuration, running: running)
        configuration.virtualDevices = configuration.withoutDiscovered.virtualDevices + devices.map(\.device)
    }

    /// The virtual devices that a configuration comes to, each with its pin.
    /// - Parameter running: where those listen that run, by their names; these ports need not be tried.
    func virtualDevices(
        for configuration: GatewayConfiguration, running: [String: ListenAddress]
    ) async -> [(pin: DevicePin, device: VirtualDeviceConfiguration)] {
        guard let template = configuration.discovery.template, let ports = template.portRange else {
            self.state.withLock { $0.blocked = [:] }
            return []
        }
        let written = configuration.withoutDiscovered
        let names = Set(written.virtualDevices.map(\.name))
        let (pins, addresses) = self.state.withLock { ($0.machine.pins, $0.addresses) }
        let wanted = pins.filter { pin in
            template.match.matches(pin.traits, id: pin.id.text)
                && !written.relays(to: pin.id, named: pin.traits.friendlyName, at: addresses[pin.id] ?? [])
        }
        self.tellClashes(names.intersection(wanted.map(\.name)))
        let fitting = Self.placed(Array(wanted.filter { !names.contains($0.name) }.prefix(template.atMost)), in: ports)
        var devices: [(pin: DevicePin, device: VirtualDeviceConfiguration)] = []
        // What the gateway holds itself may go from one virtual device to another.
        let held = Set(running.values.map(\.port))
        for pin in fitting {
            guard await self.isPortFree(pin, template.listen, isHeld: held.contains(pin.port)) else { continue }
            devices.append((pin, template.device(for: pin)))
        }
        let relevant = Set(fitting.map(\.name))
        self.state.withLock { state in state.blocked = state.blocked.filter { relevant.contains($0.key) } }
        return devices
    }

    /// The pins with ports of the range: those that have one keep it.
    private static func placed(_ pins: [DevicePin], in ports: ClosedRange<Int>) -> [DevicePin] {
        var taken: Set<Int> = []
        var placed = pins
        var homeless: [Int] = []
        for index in placed.indices {
            let port = placed[index].port
            if !ports.contains(port) || !taken.insert(port).inserted { homeless.append(index) }
        }
        for index in homeless {
            guard let port = ports.first(where: { !taken.contains($0) }) else { break }
            taken.insert(port)
            placed[index].port = port
        }
        return placed
    }

    /// Takes over the ports of virtual devices that are in force now.
    func take(_ devices: [(pin: DevicePin, device: VirtualDeviceConfiguration)]) async {
        let ports = Dictionary(devices.map { ($0.pin.id, $0.pin.port) }, uniquingKeysWith: { first, _ in first })
        for pin in self.state.withLock({ $0.machine.assign(ports: ports) }) { await self.keep(pin) }
    }

    private func tellClashes(_ names: Set<String>) {
        let new = self.state.withLock { state in
            defer { state.toldClashes = names }
            return names.subtracting(state.toldClashes)
        }
        for name in new.sorted() {
            self.logger.warning(
                "A discovered device gets no virtual device, since a configured one has the name",
                metadata: ["device": "\(name)"])
        }
    }

    // MARK: Ports

    /// Whether a virtual device may listen; one whose port another program has must not keep the gateway from starting.
    private func isPortFree(_ pin: DevicePin, _ host: String, isHeld: Bool) async -> Bool {
        if isHeld { return true }
        let (isBlocked, isKnown) = self.state.withLock { state in
            let until = state.blocked[pin.name]
            return (until.map { $0 > .now() } ?? false, until != nil)
        }
        guard !isBlocked else { return false }
        let obstacle = await Self.obstacle(host, pin.port)
        self.state.withLock { $0.blocked[pin.name] = obstacle == nil ? nil : NIODeadline.now() + Self.blockedPause }
        if let obstacle, !isKnown {
            self.logger.warning(
                "The virtual device of a discovered device cannot listen; it is tried again",
                metadata: ["device": "\(pin.name)", "port": .stringConvertible(pin.port), "reason": "\(obstacle)"])
        }
        return obstacle == nil
    }

    /// Listens for a moment.
    private static func obstacle(_ host: String, _ port: Int) async -> (any Error)? {
        do {
            let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .serverChannelOption(.autoRead, value: false)
                .bind(host: host, port: port).get()
            try await channel.close().get()
            return nil
        } catch {
            return error
        }
    }
}

extension GatewayConfiguration {
    /// The configuration as it was written: without the virtual devices of discovered devices.
    var withoutDiscovered: GatewayConfiguration {
        var written = self
        written.virtualDevices.removeAll(where: \.isDiscovered)
        return written
    }

    /// Whether a virtual device relays to a device already.
    fileprivate func relays(to id: DeviceID, named name: String, at addresses: [DeviceAddress]) -> Bool {
        let targets = Set(self.virtualDevices.compactMap(\.targetName))
        if targets.contains(name) || targets.contains(where: { DeviceID($0) == id }) { return true }
        return self.discovery.staticDevices.contains { device in
            guard targets.contains(device.name) else { return false }
            if let known = device.id.flatMap({ DeviceID($0) }) { return known == id }
            return addresses.contains(DeviceAddress(host: device.address.host, port: device.address.port))
        }
    }
}

extension DeviceTemplateConfiguration {
    /// What of a device's capabilities its virtual device has too: those of a group or of its hardware stay behind.
    private static let copiedCapabilities: DeviceCapabilities = [
        .videoOut, .audioOut, .masterOrFixedVolume, .attenuationOrFixedVolume,
    ]

    /// What the pins follow.
    var pinning: DevicePinStateMachine.Template? {
        self.portRange.map {
            DevicePinStateMachine.Template(
                atMost: self.atMost, atMostPerHost: self.atMostPerHost, ports: $0, grace: TimeAmount(self.grace))
        }
    }

    fileprivate func device(for pin: DevicePin) -> VirtualDeviceConfiguration {
        VirtualDeviceConfiguration(
            name: pin.name, listen: ListenAddress(host: self.listen, port: pin.port), target: .device(pin.id.text)
        ) { device in
            device.isDiscovered = true
            device.friendlyName = NameTemplate(self.friendlyName).text(pin)
            if !pin.traits.model.isEmpty { device.model = pin.traits.model }
            let capabilities = pin.traits.capabilities.intersection(Self.copiedCapabilities)
            if !capabilities.isEmpty { device.capabilities = Int(clamping: capabilities.rawValue) }
            device.allowedSenders = self.allowedSenders
            device.tlsKey = self.tlsKey
            device.apps = self.apps?.map { VirtualAppConfiguration(id: $0) }
        }
    }
}
