package import BuiltInReceiver
package import CastDiscovery
package import CastIdentity
package import CastTransport
package import CastWire
package import DeviceListening
package import DeviceSessions
package import FeatureContract
import GatewayConfig
import GatewayCore
import GatewayLogging
package import GatewayMetrics
import GatewaySettings
import HTTPServing
import Logging
import MediaRelay
import NIOCore
import NIOPosix
import NamespaceHandlers
package import Passthrough
import Synchronization
import SystemPrimitives
package import VirtualDevices

/// The virtual devices: what senders see, and what stands behind it.
///
/// They listen once every plugin was tried. In a reload those that stay change in place, and an address may go from one to
/// another: the new listener binds it while the old one still has it, and senders wait there until the commit.
package final class VirtualDevicesFeature: GatewayFeature {
    package let name = "virtual devices"
    /// The devices that run.
    package let fleet: VirtualDeviceFleet
    /// The ids of the devices that run first, in the order of the configuration.
    package let firstIDs: [String]
    private let context: GatewayContext
    private let directory: DeviceSessionDirectory
    /// Answers what players ask about their queues.
    package let queues: QueueProviderDispatcher
    /// The speaker groups among the devices.
    package let groups: SpeakerGroups
    /// Keeps what built-in receivers run; nil when that is not possible.
    private let receivers: ReceiverStore?
    /// The mirrored streams of senders that are passed through.
    package let streams: PassedStreams
    private let environment: Mutex<VirtualDeviceEnvironment>
    private let passthrough: Mutex<PassthroughEnvironment>

    /// Makes the keys of new devices, a second each on one processor; the log says how far it is.
    /// - Parameters:
    ///   - admission: counts connections over all listeners.
    ///   - announcer: announces the devices in the network.
    ///   - directory: the real devices that they relay to.
    ///   - rights: knows who may use those that ask for a join code.
    ///   - ownEndpoints: told where devices are announced under the ids of real ones.
    /// - Throws: `IdentityError` when an identity can neither be read nor made.
    package init(
        _ context: GatewayContext, identities: IdentityStore, admission: Admission, announcer: DeviceAnnouncer,
        directory: DeviceSessionDirectory, rights: any SenderRights, ownEndpoints: OwnEndpoints
    ) async throws {
        let configuration = context.configuration.current
        self.context = context
        self.directory = directory
        let queues = QueueProviderDispatcher(logger: context.makeLogger("Plugins"))
        self.queues = queues
        let groups = SpeakerGroups { [events = context.events] change in
            events.publish(.groupMember(device: change.group, member: change.member, isMember: change.isMember))
        }
        self.groups = groups
        self.receivers = ReceiverStore.open(identities, context)
        self.firstIDs = try await IdentityPreparation(
            identities: identities, now: context.wallClock(), logger: context.makeLogger("Gateway")
        ).prepare(configuration.virtualDevices.filter { $0.passedName == nil })
        let environment = VirtualDeviceEnvironment(
            identities: identities, registry: context.registry,
            routerSettings: configuration.routerSettings(context.metering),
            payloadText: configuration.payloadText, events: context.events, eventLoops: context.eventLoops,
            limits: configuration.senders, setupLimits: configuration.setupLimits, admission: admission,
            drain: configuration.shutdown.drain, announcer: announcer, rights: rights,
            logger: context.makeLogger("VirtualDevice"))
        self.environment = Mutex(environment)
        // Before anything else is started, so that no other program gets a socket that was handed over.
        let passed = PassedSockets.ofProcess
        let streams = PassedStreams(events: context.events, logger: context.makeLogger("Passthrough")) {
            () throws(MediaRelayError) in try MirroringSocket.open(passed: passed)
        }
        var passthrough = PassthroughEnvironment(sharing: environment, ownEndpoints: ownEndpoints)
            .following(configuration)
        passthrough.streams = streams
        self.streams = streams
        self.passthrough = Mutex(passthrough)
        let maker = FleetMaker(
            environment: environment, passthrough: passthrough, devices: directory, queues: queues, groups: groups,
            records: self.receivers, timeZone: configuration.routing.timeZone, context: context)
        self.fleet = VirtualDeviceFleet(configuration.virtualDevices.map { maker.make($0, isAccepting: true) })
    }

    package func close() async { await self.receivers?.settle() }

    /// The devices, for what speaks to them and asks for their state.
    package var running: RunningDevices { self.environment.withLock { $0.running } }

    /// What the devices share, as the configuration in force says.
    var environmentInForce: VirtualDeviceEnvironment { self.environment.withLock { $0 } }

    /// The devices whose senders are passed through.
    package var passed: RunningPassthroughs { self.passthrough.withLock { $0.running } }

    package func services(among features: [any GatewayFeature]) -> [StagedService] {
        let events = self.context.events
        self.fleet.whenReady { [lifecycle = self.context.lifecycle, fleet = self.fleet, context = self.context] in
            for name in fleet.current.keys.sorted() { events.publish(.virtualDeviceAdded(device: name)) }
            Self.describe(context.configuration.current.virtualDevices, to: events)
            lifecycle.reach(.devicesListening)
        }
        return [StagedService(.pluginsTried, self.fleet)]
    }

    package var readinessDetails: [(name: String, value: JSONValue)] {
        let endpoints = self.fleet.endpoints
        let devices = self.context.configuration.current.virtualDevices.map { device in
            let isListening = endpoints.contains { $0.name == device.name }
            return (device.name, JSONValue.string(isListening ? "listening" : "not listening"))
        }
        return [("virtual_devices", .object(JSONObject(devices)))]
    }

    /// How long before the end of the root an operator is told, in seconds: every sender has to be given another one.
    private static let rootNotice: Int64 = 60 * 86_400
    /// How long before the end of a TLS certificate, in seconds: it should have been renewed long before.
    private static let leafNotice: Int64 = 2 * 3600

    package var warnings: [GatewayWarning] {
        get async {
            let services = self.fleet.current
            let now = self.context.wallClock()
            var warnings = await self.rootWarning(now).map { [$0] } ?? []
            for device in self.context.configuration.current.virtualDevices {
                guard services[device.name]?.endpoints != nil else {
                    guard self.context.lifecycle.phase == .ready else { continue }
                    warnings.append(
                        GatewayWarning(
                            .virtualDeviceNotListening, "senders cannot connect to '\(device.name)'",
                            device: device.name))
                    continue
                }
                if let end = self.fleet.own(device.name)?.certificateEnd, end - now < Self.leafNotice {
                    warnings.append(
                        GatewayWarning(
                            .certificateEnding, "the TLS certificate of '\(device.name)' ends, and was not renewed",
                            device: device.name))
                }
            }
            warnings += self.mirroringWarning.map { [$0] } ?? []
            for overview in await self.running.overviews() {
                warnings += overview.state.suspendedHandlers.map { handler in
                    GatewayWarning(
                        .handlerSuspended,
                        "'\(handler)' failed too often on '\(overview.state.name)' and is not asked for a while",
                        device: overview.state.name)
                }
            }
            return warnings
        }
    }

    private var mirroringWarning: GatewayWarning? {
        guard let obstacle = self.streams.obstacle,
            self.context.configuration.current.virtualDevices.contains(where: \.isMirroredThrough)
        else { return nil }
        return GatewayWarning(
            .mirroringUnavailable, "mirroring does not pass the devices whose senders are passed through: \(obstacle)")
    }

    private func rootWarning(_ now: Int64) async -> GatewayWarning? {
        // Senders use virtual devices only; without one there may be no root, and none is made for this.
        guard !self.context.configuration.current.virtualDevices.isEmpty else { return nil }
        let identities = self.environment.withLock { $0.identities }
        let root = try? await NIOThreadPool.singleton.runIfActive { try identities.root(now: now) }
        guard let root, root.notAfter - now < Self.rootNotice else { return nil }
        let isOver = root.notAfter < now
        return GatewayWarning(
            .certificateEnding,
            isOver
                ? "the root certificate has ended, so senders refuse the virtual devices"
                : "the root certificate ends soon; senders will refuse the virtual devices then",
            since: isOver ? Int(clamping: root.notAfter) : nil)
    }

    package func metrics(for scrape: MetricsScrape) async -> [MetricFamily] {
        let pulse = EventLoopProbe(eventLoops: Array(self.context.eventLoops.makeIterator()), devices: self.running)
        let answers = await pulse.take(within: MetricsScrape.patience)
        scrape.missed(answers.silent.count)
        let passed = await EventLoopTimeout.$current.withValue(EventLoopTimeout(MetricsScrape.patience)) {
            await self.passed.overviews()
        }
        return VirtualDeviceMetrics(states: answers.devices, passed: passed, isPerDevice: scrape.isPerDevice).families
            + MirroringMetrics.families(self.directory.streamCounts, self.streams.counts) + [self.certificates]
    }

    private var certificates: MetricFamily {
        var family = MetricFamily(.certificateExpiry)
        do throws(IdentityError) {
            let root = try self.environmentInForce.identities.root(now: self.context.wallClock())
            family.add(["root"], Double(root.notAfter))
        } catch {
            // One that has ended is no root any more, and what there is to be told of it.
            if case .rootExpired(let end) = error { family.add(["root"], Double(end)) }
        }
        if let end = self.fleet.own.compactMap(\.certificateEnd).min() {
            family.add(["virtual_device"], Double(end))
        }
        return family
    }

    // MARK: Reload

    /// Says which devices are replaced, since their targets live on other event loops.
    package func plan(_ change: inout ConfigurationChange) {
        change.placement = DevicePlacement(
            from: change.old.virtualDevices, to: change.new.virtualDevices,
            homes: self.fleet.current.compactMapValues(\.eventLoop),
            deviceHome: { self.directory.eventLoop(for: $0) })
        for name in change.placement.replaced {
            change.plan.note("virtual_devices.\(name).target", "its senders have to connect again")
        }
    }

    package func prepare(_ change: inout ConfigurationChange) async throws -> PreparedChange? {
        let preparation = try await self.preparation(for: change)
        let (new, old) = (change.new.virtualDevices, change.old.virtualDevices)
        return PreparedChange(
            commit: {
                self.environment.withLock { $0 = preparation.maker.environment }
                self.passthrough.withLock { $0 = preparation.maker.passthrough }
                let before = Set(self.fleet.current.keys)
                self.fleet.replace(with: preparation.fleet)
                try await preparation.commit()
                self.publish(from: before, to: Set(preparation.fleet.keys))
                Self.describe(new, since: old, to: self.context.events)
            },
            settle: { await preparation.settle() }, undo: { await preparation.undo() })
    }

    private func publish(from old: Set<String>, to new: Set<String>) {
        for name in old.subtracting(new).sorted() { self.context.events.publish(.virtualDeviceRemoved(device: name)) }
        for name in new.subtracting(old).sorted() { self.context.events.publish(.virtualDeviceAdded(device: name)) }
    }

    private func preparation(for change: ConfigurationChange) async throws -> VirtualDevicesPreparation {
        let (new, running) = (change.new, self.fleet.current)
        let maker = FleetMaker(
            environment: self.environment.withLock { $0 }.following(new, self.context.metering),
            passthrough: self.passthrough.withLock { $0 }.following(new), devices: change.devices ?? self.directory,
            queues: self.queues, groups: self.groups, records: self.receivers, timeZone: new.routing.timeZone,
            context: self.context)
        let kept = running.filter { !change.placement.replaced.contains($0.key) }
        var preparation = VirtualDevicesPreparation(maker: maker)
        do {
            try await preparation.shareAddresses(of: running, kept: kept, for: new.virtualDevices)
            _ = try await IdentityPreparation(
                identities: maker.environment.identities, now: self.context.wallClock(),
                logger: self.context.makeLogger("Gateway")
            ).prepare(new.virtualDevices.filter { kept[$0.name] == nil && $0.passedName == nil })
            for device in new.virtualDevices {
                if let service = kept[device.name] {
                    preparation.changes.append(
                        try await service.prepare(
                            preparation.maker.terms(of: device), sharedPorts: preparation.maker.sharedPorts))
                    preparation.fleet[device.name] = service
                    continue
                }
                let service = preparation.maker.make(device, isAccepting: false)
                try await self.fleet.launch(service)
                preparation.added.append(service)
                preparation.fleet[device.name] = service
            }
            preparation.removed = running.values.filter { preparation.fleet[$0.name] !== $0 }
            return preparation
        } catch {
            await preparation.undo()
            throw error
        }
    }
}

/// The virtual devices of a new configuration, which are not in force yet.
private struct VirtualDevicesPreparation: Sendable {
    /// Makes devices of the new configuration.
    private(set) var maker: FleetMaker
    /// The devices that stay, ready to change.
    var changes: [ListeningChange] = []
    /// Devices that listen, and accept no sender yet.
    var added: [ListeningService] = []
    /// Devices that go.
    var removed: [ListeningService] = []
    /// All devices afterwards.
    var fleet: [String: ListeningService] = [:]
    /// Ports that go from one listener to another in this reload.
    private var sharedPorts: Set<Int> {
        get { self.maker.sharedPorts }
        set { self.maker.sharedPorts = newValue }
    }
    private var givenUp: [any Channel] = []

    init(maker: FleetMaker) {
        self.maker = maker
    }

    /// Lets new listeners have addresses that others give up in the same reload: both hold them for a moment.
    mutating func shareAddresses(
        of running: [String: ListeningService], kept: [String: ListeningService],
        for devices: [VirtualDeviceConfiguration]
    ) async throws {
        let wanted = Dictionary(devices.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let ports = Set(
            devices.flatMap { [$0.listen, $0.setup.http, $0.setup.https].compactMap { $0?.port } }.filter { $0 != 0 })
        for (name, service) in running {
            let terms = kept[name] == nil ? nil : wanted[name].map { self.maker.terms(of: $0) }
            for socket in service.sockets(givenUpFor: terms) {
                guard let port = socket.localAddress?.port, ports.contains(port) else { continue }
                try await SharedAddress.allow(true, on: socket)
                self.givenUp.append(socket)
                self.sharedPorts.insert(port)
            }
        }
    }

    /// Changes the devices that stay, lets senders in to those that are new, and has those that go give up their addresses.
    func commit() async throws {
        for change in self.changes { try await change.commit() }
        for service in self.added { try await service.accept() }
        for service in self.removed { await service.giveUpAddresses() }
    }

    /// Ends the devices that go, once the real devices know that nothing relays to them any more.
    func settle() async {
        for service in self.removed { service.stop("the virtual device is gone from the configuration") }
        await self.endSharing(on: self.changes.flatMap(\.boundSockets) + self.added.flatMap(\.sockets))
    }

    /// Gives everything up.
    func undo() async {
        for change in self.changes { await change.undo() }
        for service in self.added {
            await service.giveUpAddresses()
            service.stop("the reload failed")
        }
        await self.endSharing(on: self.givenUp)
    }

    /// Forbids sharing again, on the sockets that stay.
    private func endSharing(on sockets: [any Channel]) async {
        guard !self.sharedPorts.isEmpty else { return }
        for socket in sockets {
            // A socket that is closed by now shares nothing.
            try? await SharedAddress.allow(false, on: socket)
        }
    }
}

extension VirtualDeviceEnvironment {
    /// The same environment with what another configuration says of it.
    fileprivate func following(
        _ configuration: GatewayConfiguration, _ metering: MessageMetering
    ) -> VirtualDeviceEnvironment {
        var environment = self
        environment.routerSettings = configuration.routerSettings(metering)
        environment.payloadText = configuration.payloadText
        environment.limits = configuration.senders
        environment.setupLimits = configuration.setupLimits
        environment.drain = configuration.shutdown.drain
        return environment
    }
}

extension PassthroughEnvironment {
    /// Nothing passes between senders and a device for so long at least before a splice is idle.
    private static let leastIdle = Duration.seconds(60)
    /// After how many times of a heartbeat's end a splice is idle: both ends hang up by themselves long before.
    private static let idleTimeouts = 3

    /// Shares what the other virtual devices have.
    fileprivate init(sharing environment: VirtualDeviceEnvironment, ownEndpoints: OwnEndpoints) {
        self.init(
            events: environment.events, eventLoops: environment.eventLoops, admission: environment.admission,
            rights: environment.rights, announcer: environment.announcer, ownEndpoints: ownEndpoints,
            connectionIDs: environment.connectionIDs, shortage: environment.shortage)
    }

    /// The same environment with what another configuration says of it.
    fileprivate func following(_ configuration: GatewayConfiguration) -> PassthroughEnvironment {
        var environment = self
        let senders = configuration.senders
        environment.limits.opening = TimeAmount(senders.handshakeTimeout)
        environment.limits.idle = TimeAmount(max(Self.leastIdle, senders.heartbeat.timeout * Self.idleTimeouts))
        environment.setupConnections = HTTPLimits(configuration.setupLimits)
        return environment
    }
}
