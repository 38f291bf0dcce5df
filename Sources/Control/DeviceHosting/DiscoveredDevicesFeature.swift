package import CastDiscovery
package import CastIdentity
package import CastWire
import DeviceListening
package import DeviceSessions
package import FeatureContract
import GatewayConfig
import GatewayCore
package import GatewayOperations
package import GatewaySettings
import Logging
import NIOCore
import NIOPosix
import Passthrough
import ServiceLifecycle
import Synchronization
import VirtualDevices

/// A virtual device for each discovered device, as `discovery.virtual_devices` says.
///
/// Which devices have one is decided by ``DevicePinStateMachine``. Their virtual devices are added to the configuration that
/// was read (``complete(_:)``), so that all features treat them as those that are written down; a new one is put in force as
/// a reload is. Whether one is announced follows the device behind it without any of that.
package final class DiscoveredDevicesFeature: OperatingFeature, VirtualDeviceListing, Service, CustomStringConvertible {
    private struct State {
        /// What the virtual devices were told: whether what stands behind them is there. They are held, so that a new one
        /// at the same place in memory is not taken for one of these.
        var told: [String: (host: VirtualDeviceHost, isThere: Bool)] = [:]
        var timer: Scheduled<Void>?
        /// When the list was looked at last: a network that never rests is looked at four times a second.
        var lastStep = NIODeadline.uptimeNanoseconds(0)
        /// What came of the last proof, until the next step.
        var proof: (id: DeviceID, host: String?)?
        /// From when on a device that is not heard is away, and not only late.
        var settled = NIODeadline.distantFuture
    }

    /// The shortest time between two looks at the list.
    private static let rest = TimeAmount.milliseconds(250)
    /// How long after the start a device that was not heard yet may come.
    private static let settling = TimeAmount.seconds(30)

    package let name = "discovered devices"
    private let context: GatewayContext
    private let pins: DiscoveredDevicePins
    private let proof: NewDeviceProof
    private let identities: IdentityStore
    private let discovery: DeviceDiscovery
    private let fleet: VirtualDeviceFleet
    private let followed: @Sendable () async -> ReloadOutcome
    private let eventLoop: any EventLoop
    private let logger: Logger
    private let state = Mutex(State())
    private let wakes: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation
    /// The devices that are to be proved: one at a time, so there is never a second one.
    private let candidates: AsyncStream<DevicePinStateMachine.Candidate>
    private let candidateInput: AsyncStream<DevicePinStateMachine.Candidate>.Continuation

    /// - Parameters:
    ///   - pins: which devices have virtual devices.
    ///   - identities: where their keys are kept.
    ///   - discovery: the devices of the network.
    ///   - fleet: the virtual devices that run.
    ///   - follow: puts the configuration in force with the virtual devices that are added to it.
    package init(
        _ context: GatewayContext, pins: DiscoveredDevicePins, identities: IdentityStore, discovery: DeviceDiscovery,
        fleet: VirtualDeviceFleet, follow: @escaping @Sendable () async -> ReloadOutcome
    ) {
        self.context = context
        self.pins = pins
        self.identities = identities
        self.discovery = discovery
        self.fleet = fleet
        self.followed = follow
        self.eventLoop = context.eventLoops.next()
        self.logger = context.makeLogger("Discovery")
        self.proof = NewDeviceProof(context, logger: self.logger)
        (self.wakes, self.waker) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        (self.candidates, self.candidateInput) = AsyncStream.makeStream(
            of: DevicePinStateMachine.Candidate.self, bufferingPolicy: .bufferingNewest(1))
        _ = pins.handle(.configured(context.configuration.current.discovery.template?.pinning))
    }

    package var description: String { self.name }

    package func services(among features: [any GatewayFeature]) -> [StagedService] {
        [StagedService(.devicesListening, self)]
    }

    // MARK: Configurations

    package func complete(_ configuration: inout GatewayConfiguration) async {
        await self.pins.complete(&configuration, running: self.listens)
    }

    package func prepare(_ change: inout ConfigurationChange) -> PreparedChange? {
        let template = change.new.discovery.template?.pinning
        return PreparedChange(settle: {
            _ = self.pins.handle(.configured(template))
            self.waker.yield()
        })
    }

    // MARK: Running

    package func run() async throws {
        let changes = self.context.events.subscribe(limit: 1, seesMessages: false) { event in
            if case .deviceListDidUpdate = event { true } else { false }
        }
        self.state.withLock { $0.settled = .now() + Self.settling }
        self.waker.yield()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await _ in changes.events { self.waker.yield() }
            }
            group.addTask {
                for await candidate in self.candidates {
                    // Beside the steps: a device that keeps silent must not hold up what others do.
                    let host = await self.proof.host(of: candidate)
                    self.state.withLock { $0.proof = (candidate.id, host) }
                    self.waker.yield()
                }
            }
            for await _ in self.wakes.cancelOnGracefulShutdown() where self.mayStep() { await self.step() }
            group.cancelAll()
        }
        self.state.withLock { $0.timer }?.cancel()
    }

    /// Whether it has rested since the last step; otherwise it is woken when it has.
    private func mayStep() -> Bool {
        let next = self.state.withLock { state in
            let next = state.lastStep + Self.rest
            if next <= .now() { state.lastStep = .now() }
            return next
        }
        guard next > .now() else { return true }
        self.wake(at: next)
        return false
    }

    private func wake(at deadline: NIODeadline) {
        let timer = self.eventLoop.scheduleTask(deadline: deadline) { _ = self.waker.yield() }
        self.state.withLock { state in
            state.timer?.cancel()
            state.timer = timer
        }
    }

    private func step() async {
        let proof = self.state.withLock { state in
            defer { state.proof = nil }
            return state.proof
        }
        if let proof { await self.perform(self.pins.handle(.proved(proof.id, host: proof.host))) }
        let configuration = self.context.configuration.current
        let candidates = self.pins.candidates(
            among: self.discovery.devices, for: configuration, own: self.fleet.current.values.compactMap(Self.address))
        await self.perform(self.pins.handle(.listed(candidates)))
        await self.follow()
        self.tellPresence()
        if let deadline = self.pins.nextDeadline { self.wake(at: max(deadline, NIODeadline.now() + Self.rest)) }
    }

    /// Where each virtual device that runs is to listen, by name.
    private var listens: [String: ListenAddress] { self.fleet.current.mapValues { $0.device.terms.listen } }

    /// Where a virtual device really listens.
    private static func address(_ service: ListeningService) -> ListenAddress? {
        service.endpoints.map { ListenAddress(host: service.device.terms.listen.host, port: $0.castPort) }
    }

    private func perform(_ actions: [DevicePinStateMachine.Action]) async {
        for action in actions {
            switch action {
            case .prove(let candidate): self.candidateInput.yield(candidate)
            case .make(let pin): await self.make(pin)
            case .keep(let pin): await self.pins.keep(pin)
            case .remove(let pin): await self.pins.remove(pin)
            case .tellPresent(let pin): self.log(.info, "The device behind a virtual device is there", pin)
            case .tellAbsent(let pin):
                self.log(.info, "The device behind a virtual device is gone, so it is not announced", pin)
            case .tellFull(let count):
                self.logger.warning(
                    "Devices get no virtual device: discovery.virtual_devices has room for no more",
                    metadata: ["refused": .stringConvertible(count)])
            case .tellCrowded(let host):
                self.logger.warning(
                    "Devices get no virtual device: discovery.virtual_devices.at_most_per_host allows no more at their address",
                    metadata: ["address": "\(host)"])
            }
        }
    }

    private func log(_ level: Logger.Level, _ text: Logger.Message, _ pin: DevicePin) {
        self.logger.log(
            level: level, text,
            metadata: ["device": "\(pin.name)", "id": "\(pin.id)", "name": "\(pin.traits.friendlyName)"])
    }

    // MARK: Virtual devices

    /// Makes the keys of a virtual device, writes it down, and runs it.
    private func make(_ pin: DevicePin) async {
        let (identities, now) = (self.identities, self.context.wallClock())
        do {
            try await NIOThreadPool.singleton.runIfActive {
                _ = try identities.loadOrCreate(device: pin.name, now: now)
            }
            await self.pins.keep(pin)
            await self.follow()
        } catch {
            self.logger.error(
                "No keys can be made for the virtual device of a discovered device",
                metadata: ["device": "\(pin.name)", "reason": "\(error)"])
        }
        guard self.fleet.current[pin.name] != nil else {
            return await self.perform(self.pins.handle(.notMade(pin.id)))
        }
        self.log(.notice, "A discovered device has a virtual device", pin)
        await self.perform(self.pins.handle(.made(pin.id)))
    }

    /// Puts the virtual devices in force that there are to be, unless they are already.
    private func follow() async {
        let configuration = self.context.configuration.current
        var wanted = configuration
        await self.complete(&wanted)
        guard wanted.virtualDevices != configuration.virtualDevices else { return }
        guard case .success = await self.followed() else { return }
        let devices = await self.pins.virtualDevices(
            for: self.context.configuration.current, running: self.listens)
        await self.pins.take(devices)
    }

    /// Tells each virtual device whether what stands behind it is there.
    private func tellPresence() {
        var told: [String: (host: VirtualDeviceHost, isThere: Bool)] = [:]
        let before = self.state.withLock { $0.told }
        for pin in self.pins.pins {
            guard let host = self.fleet.own(pin.name), host.configuration.isDiscovered else { continue }
            let isThere = self.pins.isThere(pin)
            told[pin.name] = (host, isThere)
            if let last = before[pin.name], last.host === host, last.isThere == isThere { continue }
            host.announce(whileTargetIsThere: isThere)
        }
        self.state.withLock { $0.told = told }
    }

    // MARK: Readiness

    package var readinessDetails: [(name: String, value: JSONValue)] {
        guard self.context.configuration.current.discovery.template != nil else { return [] }
        let services = self.fleet.current
        var details: JSONObject = [:]
        for pin in self.pins.pins {
            details[pin.name] = .string(self.state(of: pin, isRunning: services[pin.name] != nil))
        }
        let refused = self.pins.refusedCount
        if refused > 0 {
            details["warning"] = .string(
                "\(refused) more found; at_most or at_most_per_host of discovery.virtual_devices leaves no room for them"
            )
        }
        return [("discovered_devices", .object(details))]
    }

    package var warnings: [GatewayWarning] {
        get async {
            let refused = self.pins.refusedCount
            guard refused > 0, self.context.configuration.current.discovery.template != nil else { return [] }
            return [
                GatewayWarning(
                    .devicesRefused,
                    "\(refused) more devices are found, and at_most or at_most_per_host of discovery.virtual_devices leaves no room for them"
                )
            ]
        }
    }

    /// How a pin's virtual device is, in a word.
    private func state(of pin: DevicePin, isRunning: Bool) -> String {
        guard isRunning else { return "not running" }
        return self.pins.isThere(pin) ? "announced" : "away"
    }

    // MARK: Operations

    package static let offered: [Offer<DiscoveredDevicesFeature>] = [
        Offer { ListVirtualDevices(feature: $0) },
        Offer { ForgetVirtualDevice(feature: $0) },
    ]

    /// What a virtual device announces that it can do; nil for one that does not run.
    package func capabilities(of name: String) -> DeviceCapabilities? {
        self.fleet.own(name).map { DeviceCapabilities(rawValue: UInt64(clamping: $0.configuration.capabilities)) }
    }

    /// Whether there is a virtual device of a name, running or not.
    package func hasVirtualDevice(_ name: String) -> Bool {
        self.fleet.current[name] != nil
            || self.context.configuration.current.virtualDevices.contains { $0.name == name }
            || self.pins.pins.contains { $0.name == name }
    }

    /// What senders show for a virtual device: on one whose senders are passed through the name of the real device, once that is known.
    package func shownName(of device: VirtualDeviceConfiguration) -> String {
        self.fleet.passed(device.name)?.shownName ?? device.friendlyName
    }

    /// The name of the virtual device that runs under an id; nil when none does.
    package func virtualDevice(id: DeviceID) -> String? {
        self.fleet.own.first { $0.deviceID.flatMap { DeviceID($0) } == id }?.name
    }

    /// The virtual devices that a caller may see; those of discovered devices that do not run now come last.
    package func list(for caller: Caller) -> VirtualDeviceListResult.Source {
        let configured = self.context.configuration.current.virtualDevices
        let ports = Dictionary(
            self.fleet.endpoints.map { ($0.name, $0.castPort) }, uniquingKeysWith: { first, _ in first })
        let pins = self.pins.pins
        let isSettling = self.isSettling
        var devices = configured.map { device in
            let port = ports[device.name]
            let word = port == nil ? "not listening" : self.fleet.passed(device.name)?.state.rawValue ?? "listening"
            let pin = device.isDiscovered ? pins.first { $0.name == device.name } : nil
            return ListedVirtualDeviceResult.Source(
                name: device.name, friendlyName: self.shownName(of: device),
                listen: "\(ListenAddress(host: device.listen.host, port: port ?? device.listen.port))",
                isDiscovered: device.isDiscovered,
                state: pin.map { self.state(of: $0, isRunning: port != nil) } ?? word, target: device.realDevice,
                isPassedThrough: device.passedName != nil, pin: pin,
                isAway: pin.map { !isSettling && !self.pins.isThere($0) })
        }
        let running = Set(configured.filter(\.isDiscovered).map(\.name))
        devices += pins.filter { !running.contains($0.name) }.map { pin in
            ListedVirtualDeviceResult.Source(
                name: pin.name, friendlyName: pin.traits.friendlyName, isDiscovered: true, state: "not running",
                target: pin.id.text, pin: pin, isAway: !isSettling && !self.pins.isThere(pin))
        }
        return (devices.filter { caller.mayUse(device: $0.name) }, self.pins.refusedCount, isSettling)
    }

    /// Whether the start was so short ago that devices may not have been heard yet.
    private var isSettling: Bool { self.state.withLock { $0.settled > .now() } }

    /// Forgets a discovered device: its virtual device ends, and its name and port are free.
    func forget(_ nameOrID: String) async throws(OperationProblem) -> DevicePin {
        guard let pin = self.pins.pins.first(where: { $0.name == nameOrID || $0.id.text == nameOrID.lowercased() })
        else {
            throw .missing(
                "unknown_device", "no discovered device is remembered under the name or id '\(nameOrID)'")
        }
        await self.perform(self.pins.handle(.forgotten(pin.id)))
        await self.follow()
        self.log(.notice, "A discovered device is forgotten", pin)
        self.waker.yield()
        return pin
    }
}
