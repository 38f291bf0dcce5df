package import CastClient
package import CastDiscovery
package import CastWire
package import GatewayCore
package import Logging
import MediaRelay
package import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization

/// The real devices that the gateway knows: keeps a channel to each, and hands out relays to them.
///
/// A new configuration comes in two steps: ``prepare(devices:configuration:sessions:stopsApps:eventLoops:)`` makes what it needs
/// without touching what runs, ``commit(_:)`` puts it in force.
package final class DeviceSessionDirectory: DeviceDirectory, Service, CustomStringConvertible {
    private struct State {
        var entries: [String: DeviceSessionEntry] = [:]
        var stopsApps = false
        var isRunning = false
        /// The plan in force; followed by devices that are not in the configuration, too.
        var plan: DeviceSessionFactory.Plan?
        var sessionCount = 0
    }

    /// The interval at which the clocks are compared to find out whether the host has slept.
    private static let sleepCheckInterval = TimeAmount.seconds(1)

    private let state = Mutex(State())
    private let known = KnownDevices()
    private let factory: DeviceSessionFactory
    let events: EventBus
    let store: (any SessionRecordStore)?
    /// The settings of the routers of sessions.
    let routing: OwnLegRouting
    private let eventLoops: any EventLoopGroup
    private let logger: Logger

    /// Prepares a session per device, spread over the event loops; nothing is dialled before ``run()``.
    /// - Parameters:
    ///   - devices: names and addresses, best first; none for a device that discovery has to find.
    ///   - identities: which devices the names mean; others mean any device at the address, unless discovery says which.
    ///   - store: where sessions are written down; nil when they need not outlive the gateway.
    ///   - loads: completes the loads of Castway's own sessions; nil when nothing is to be added.
    ///   - routing: what the routers of Castway's own sessions follow.
    ///   - stopsApps: whether what runs on the devices is stopped at the end; otherwise it plays on.
    ///   - random: gives numbers from -1 to 1, for the jitter of the pauses between dials.
    ///   - wallClock: gives seconds since 1970, for certificates; nil for the system's.
    /// - Throws: when TLS cannot be set up, and `IdentityError` when a trust anchor cannot be read.
    package init(
        devices: [String: [DeviceAddress]], identities: [String: ExpectedDevice] = [:],
        configuration: ConnectionsConfiguration,
        sessions: SessionsConfiguration = SessionsConfiguration(), events: EventBus,
        store: (any SessionRecordStore)? = nil, loads: (any LoadCompletion)? = nil,
        routing: OwnLegRouting = OwnLegRouting(), eventLoops: any EventLoopGroup, stopsApps: Bool, logger: Logger,
        random: @escaping @Sendable () -> Double = { Double.random(in: -1...1) },
        wallClock: (@Sendable () -> Int64)? = nil
    ) async throws {
        self.events = events
        self.store = store
        self.routing = routing
        self.eventLoops = eventLoops
        self.logger = logger
        self.factory = DeviceSessionFactory(
            events: events, store: store, loads: loads, routing: routing, logger: logger, random: random,
            wallClock: wallClock)
        let update = try await self.prepare(
            devices: devices, identities: identities, configuration: configuration, sessions: sessions,
            stopsApps: stopsApps)
        try await self.commit(update)
    }

    /// True while the channel to a device is open; false for one that does not exist.
    package func isOnline(_ device: String) -> Bool {
        self.factory.online.contains(device)
    }

    /// The last outcome of asking the device to prove itself; nil while it has not been asked.
    package func authentication(of device: String) -> DeviceAuthenticationRecord? {
        self.factory.authentications[device]
    }

    /// The event loop of the device's channel; nil when there is no such device.
    package func eventLoop(for device: String) -> (any EventLoop)? {
        self.entry(device)?.eventLoop
    }

    /// A relay to the device, on its event loop; nil when there is no such device.
    package func makeTarget(for device: String, virtualDevice: DeviceFacts) -> (any DeviceTarget)? {
        self.entry(device).map { DeviceRelay(virtualDevice: virtualDevice, session: $0.session.value) }
    }

    /// The time limits of devices and apps, by the configuration in force.
    package var timeouts: SessionTimeouts { self.state.withLock { $0.plan?.sessions.timeouts } ?? SessionTimeouts() }

    package var description: String { "device sessions" }

    /// Carries the streams of mirroring senders.
    var media: MediaRelayPool { self.factory.media }

    /// The devices that are online, and counts of their links.
    var online: OnlineDevices { self.factory.online }

    func entry(_ device: String) -> DeviceSessionEntry? {
        self.state.withLock { $0.entries[device] }
    }

    // MARK: A new configuration

    /// Makes what another set of devices needs; what runs goes on as it is.
    /// - Parameters:
    ///   - devices: all names and addresses, as for ``init``.
    ///   - identities: which devices the names mean, as for ``init``.
    ///   - eventLoops: where certain devices have to live. One that lives elsewhere gets a new channel there.
    /// - Throws: when TLS cannot be set up, and `IdentityError` when a trust anchor cannot be read.
    package func prepare(
        devices: [String: [DeviceAddress]], identities: [String: ExpectedDevice] = [:],
        configuration: ConnectionsConfiguration,
        sessions: SessionsConfiguration = SessionsConfiguration(), stopsApps: Bool,
        eventLoops: [String: any EventLoop] = [:]
    ) async throws -> DeviceSessionUpdate {
        let plan = try self.factory.plan(configuration, sessions)
        let old = self.state.withLock { $0.entries }
        var entries: [String: DeviceSessionEntry] = [:]
        var added: [DeviceSessionEntry] = []
        var kept: [DeviceSessionEntry] = []
        var adopted: [DeviceSessionEntry] = []
        // A device that is here for its session alone is left to the session.
        var retired = old.filter { devices[$0.key] == nil && !$0.value.isOnDemand }.map(\.value)
        var moved: [(DeviceSessionEntry, [DeviceAddress])] = []
        for (name, addresses) in devices.sorted(by: { $0.key < $1.key }) {
            if let entry = old[name], eventLoops[name].map({ $0 === entry.eventLoop }) ?? true {
                if entry.addresses != addresses, !entry.isOnDemand { moved.append((entry, addresses)) }
                let same = DeviceSessionEntry(
                    name: name, addresses: addresses, eventLoop: entry.eventLoop, session: entry.session)
                entries[name] = same
                kept.append(same)
                if entry.isOnDemand { adopted.append(same) }
                continue
            }
            if let entry = old[name] { retired.append(entry) }
            let eventLoop = eventLoops[name] ?? self.eventLoops.next()
            let entry = try await self.makeEntry(name, addresses, self.known[name], plan, on: eventLoop)
            entries[name] = entry
            added.append(entry)
        }
        return DeviceSessionUpdate(
            entries: entries, added: added, retired: retired, moved: moved, kept: kept, adopted: adopted,
            identities: identities, plan: plan, stopsApps: stopsApps)
    }

    private func makeEntry(
        _ name: String, _ addresses: [DeviceAddress], _ known: KnownDevices.Device, _ plan: DeviceSessionFactory.Plan,
        on eventLoop: any EventLoop
    ) async throws -> DeviceSessionEntry {
        try await self.factory.makeEntry(
            name, addresses, known, plan, on: eventLoop,
            category: { [weak self] in self?.known.locator?.category(of: name) },
            onAvailability: { [weak self] app, isAvailable in
                self?.known.locator?.note(app: app, of: name, isAvailable: isAvailable)
            })
    }

    /// The category of a device, by its name; ``DeviceCategory/cast`` for one that is not listed.
    package func category(of device: String) -> DeviceCategory { self.known.locator?.category(of: device) ?? .cast }

    /// Puts an update in force: new devices are dialled, moved ones dialled anew, and those that are gone hung up as soon
    /// as no virtual device relays to them any more.
    /// - Throws: when an event loop has been shut down.
    package func commit(_ update: DeviceSessionUpdate) async throws {
        self.factory.authentications.keepOnly(Set(update.entries.keys))
        self.known.set(configured: update.identities)
        let adopted = Set(update.adopted.map(\.name))
        let (isRunning, displaced) = self.state.withLock { state in
            let onDemand = state.entries.filter { $0.value.isOnDemand }
            state.entries = update.entries.merging(onDemand) { configured, _ in configured }
            state.plan = update.plan
            state.stopsApps = update.stopsApps
            // What a session brought in since the update was made has to make room for it.
            let displaced = onDemand.values.filter { update.entries[$0.name] != nil && !adopted.contains($0.name) }
            return (state.isRunning, displaced)
        }
        for entry in update.kept {
            let identity = self.known[entry.name].identity
            try await entry.submit { session in
                session.configure(update.plan.settings, update.plan.verification)
                session.link.expect(identity)
            }
        }
        for entry in update.added {
            let identity = self.known[entry.name].identity
            try await entry.submit { $0.link.expect(identity) }
        }
        for entry in update.adopted {
            try await entry.submit { $0.adopt(at: entry.addresses, isRunning: isRunning) }
        }
        for (entry, addresses) in update.moved { try await entry.submit { $0.link.move(to: addresses) } }
        var surrendered: [SessionRecord] = []
        for entry in update.retired + displaced {
            let isReplaced = update.entries[entry.name] != nil
            let record = try await entry.submit { session in
                defer { session.retire() }
                return isReplaced ? session.surrenderSession() : nil
            }
            if let record { surrendered.append(record) }
        }
        guard isRunning else { return }
        for entry in update.added { try await entry.submit { $0.start() } }
        for record in surrendered { try await self.restore(record) }
    }

    /// Keeps the channels open until graceful shutdown.
    package func run() async throws {
        let entries = self.state.withLock { state in
            state.isRunning = true
            return state.entries
        }
        await self.restoreSessions()
        for entry in entries.values { try await entry.submit { $0.start() } }
        let watch = self.watchSleep()
        defer { watch.cancel() }
        try? await gracefulShutdown()
        let (last, stopsApps) = self.state.withLock { state in
            state.isRunning = false
            return (state.entries, state.stopsApps)
        }
        for entry in last.values { try await entry.submit { $0.stop(stoppingApps: stopsApps) } }
        await self.store?.settle()
    }

    /// Has every session probe its device when the host has slept.
    private func watchSleep() -> RepeatedTask {
        let eventLoop = self.eventLoops.next()
        let detector = Mutex(HostSleepDetector(.now()))
        return eventLoop.scheduleRepeatedTask(
            initialDelay: Self.sleepCheckInterval, delay: Self.sleepCheckInterval
        ) { [weak self] _ in
            guard let self, let slept = detector.withLock({ $0.check(.now()) }) else { return }
            self.logger.notice(
                "The host has slept", metadata: ["seconds": .stringConvertible(slept.components.seconds)])
            self.hostSlept()
        }
    }

    func hostSlept() {
        for entry in self.state.withLock({ $0.entries }).values { entry.execute { $0.link.hostSlept() } }
    }

    func networkReturned(isLink: Bool) {
        for entry in self.state.withLock({ $0.entries }).values {
            entry.execute { $0.link.networkReturned(isLink: isLink) }
        }
    }

    // MARK: Sessions

    /// Takes what finds devices that are not in the configuration.
    package func find(by locator: any DeviceLocator) {
        self.known.locator = locator
    }

    func nextSessionNumber() -> Int {
        self.state.withLock { state in
            state.sessionCount += 1
            return state.sessionCount
        }
    }

    /// All devices, in the order of their names.
    var allEntries: [DeviceSessionEntry] {
        self.state.withLock { $0.entries }.values.sorted { $0.name < $1.name }
    }

    /// Makes the session with a device that is here only as long as a session of Castway's own wants it.
    /// - Parameters:
    ///   - addresses: where it was, if discovery knows nothing.
    ///   - identity: which device it was then.
    /// - Returns: nil when no address is known, or the gateway does not run.
    func makeOnDemand(
        _ device: String, at addresses: [DeviceAddress] = [], identity: ExpectedDevice? = nil
    ) async throws -> DeviceSessionEntry? {
        var known = self.known[device]
        if known.addresses.isEmpty { known.addresses = self.known.locator?.addresses(of: device) ?? [] }
        known.addresses += addresses
        known.identity =
            known.identity ?? self.known.locator?.identity(of: device) ?? identity ?? ExpectedDevice(name: device)
        guard let plan = self.state.withLock({ $0.plan }), !known.addresses.isEmpty else { return nil }
        var made = try await self.makeEntry(device, [], known, plan, on: self.eventLoops.next())
        made.isOnDemand = true
        let entry = made
        let (other, isRunning) = self.state.withLock { state in
            // Another caller may have been quicker.
            if let other = state.entries[device] { return (DeviceSessionEntry?.some(other), state.isRunning) }
            state.entries[device] = entry
            return (nil, state.isRunning)
        }
        if let other { return other }
        self.known.locator?.follow(device)
        entry.execute { session in
            session.keepWhileUsed { [weak self] in self?.forget(entry) }
            if isRunning { session.start() }
        }
        return entry
    }

    private func forget(_ entry: DeviceSessionEntry) {
        self.state.withLock { state in
            if state.entries[entry.name]?.isOnDemand == true { state.entries[entry.name] = nil }
        }
        self.known.locator?.unfollow(entry.name)
    }

    /// Asks a device on its channel whether it has some apps; discovery's criteria follow what it says.
    /// - Parameter device: the name of a device that has a channel.
    /// - Returns: what the device says of each; nothing of an app that it does not mention.
    /// - Throws: ``RequestError``: `deviceNotConnected` when the device is out of reach, `timeout` when it does not answer
    ///   within 10 s.
    package func availability(of apps: [AppID], on device: String) async throws(RequestError) -> [AppID: Bool] {
        guard let entry = self.entry(device) else {
            throw RequestError(.deviceNotConnected, "there is no channel to a device named \(device)")
        }
        let answer: Result<[AppID: Bool], RequestError>
        do {
            answer = try await entry.eventLoop.flatSubmit { entry.session.value.platform.availability(of: apps) }.get()
        } catch {
            throw RequestError(.deviceNotConnected, "the gateway stops")
        }
        return try answer.get()
    }

    /// Takes up what is written down, or strikes it out when that is not wanted.
    private func restoreSessions() async {
        guard let store, let plan = self.state.withLock({ $0.plan }) else { return }
        let records: [SessionRecord]
        do {
            records = try await NIOThreadPool.singleton.runIfActive { try store.load() }
        } catch {
            self.logger.error("Stored sessions cannot be read", metadata: ["reason": "\(error)"])
            return
        }
        for record in records {
            if plan.sessions.restoresOnStart {
                try? await self.restore(record)
            } else {
                store.remove(device: record.device)
            }
        }
    }

    private func restore(_ record: SessionRecord) async throws {
        var entry = self.entry(record.device)
        if entry == nil {
            entry = try await self.makeOnDemand(
                record.device, at: record.addresses, identity: record.deviceID.map { ExpectedDevice(id: $0) })
        }
        let number = self.nextSessionNumber()
        try await entry?.submit { session in session.restore(record, number: number) }
    }
}

// What discovery reports.
extension DeviceSessionDirectory: DeviceAddressRegistry {
    /// Takes where a device may be reached now. One that is out of reach is dialled at once, if it was announced or has a
    /// new address; the addresses of one without a session are kept.
    package func update(device: String, candidates: [DeviceAddress], isAnnounced: Bool) {
        self.known.set(addresses: candidates, of: device)
        self.entry(device)?.execute { session in session.link.setCandidates(candidates, isAnnounced: isAnnounced) }
    }

    /// Takes which device is meant by a name; nil when any that answers at its address is.
    package func note(identity: ExpectedDevice?, of device: String) {
        self.known.set(identity: identity, of: device)
        guard let entry = self.entry(device) else { return }
        // What is written down of a device that is here for its session alone counts until it is found.
        guard identity != nil || !entry.isOnDemand else { return }
        let expected = self.known[device].identity
        entry.execute { session in session.link.expect(expected) }
    }

    /// Takes whether a device announces that it shows video, which its certificates may contradict; nil when it announces
    /// nothing.
    package func note(showsVideo: Bool?, of device: String) {
        guard self.known.set(showsVideo: showsVideo, of: device) else { return }
        self.entry(device)?.execute { session in session.link.note(showsVideo: showsVideo) }
    }

    /// Takes which apps each device is to be asked for when its channel stands.
    package func ask(for apps: [AppID]) {
        self.known.set(wantedApps: apps)
        let entries = self.state.withLock { $0.entries }
        for entry in entries.values { entry.execute { session in session.platform.want(apps) } }
    }
}
