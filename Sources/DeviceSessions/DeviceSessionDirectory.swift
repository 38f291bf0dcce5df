public import CastClient
import CastTransport
public import CastWire
public import GatewayCore
import Glibc
public import Logging
public import NIOCore
import NIOPosix
public import ServiceLifecycle
import Synchronization

/// The real devices that the gateway knows: keeps a channel to each, and hands out relays to them.
///
/// A new configuration comes in two steps: ``prepare(devices:configuration:stopsApps:eventLoops:)`` makes what it needs
/// without touching what runs, ``commit(_:)`` puts it in force.
public final class DeviceSessionDirectory: DeviceDirectory, Service, CustomStringConvertible {
    private struct State {
        var entries: [String: DeviceSessionEntry] = [:]
        /// Where devices are that discovery told of, in the configuration or not.
        var addressBook: [String: [DeviceAddress]] = [:]
        /// Whether they say that they show video.
        var showsVideo: [String: Bool] = [:]
        /// Which apps each device is asked for.
        var wantedApps: [AppID] = []
        var stopsApps = false
        var isRunning = false
        /// What is in force: what devices follow that are not in the configuration.
        var update: DeviceSessionUpdate?
        var locator: (any DeviceLocator)?
        var sessionCount = 0
    }

    /// More than any network has; what is told of further devices is not kept.
    private static let maximumAddresses = 4096
    /// How often it is looked whether the host has slept.
    private static let sleepCheckInterval = TimeAmount.seconds(1)

    private let state = Mutex(State())
    private let online = OnlineDevices()
    let events: EventBus
    let store: (any SessionRecordStore)?
    private let eventLoops: any EventLoopGroup
    private let logger: Logger
    private let random: @Sendable () -> Double
    private let wallClock: @Sendable () -> Int64
    private let authentications = DeviceAuthenticationRecords()
    private let loads: (any LoadCompletion)?

    /// Prepares a session per device, spread over the event loops; nothing is dialled before ``run()``.
    /// - Parameters:
    ///   - devices: names and addresses, best first; none for a device that discovery has to find.
    ///   - sessions: how sessions are kept.
    ///   - store: where sessions are written down; nil when they need not outlive the gateway.
    ///   - loads: completes the loads of Castway's own sessions; nil when nothing is to be added.
    ///   - stopsApps: whether what runs on the devices is stopped at the end; otherwise it plays on.
    ///   - random: gives numbers from -1 to 1, for the jitter of the pauses between dials.
    ///   - wallClock: gives seconds since 1970, for certificates; nil for the system's.
    /// - Throws: when TLS cannot be set up, and `IdentityError` when a trust anchor cannot be read.
    public init(
        devices: [String: [DeviceAddress]], configuration: ConnectionsConfiguration,
        sessions: SessionsConfiguration = SessionsConfiguration(), events: EventBus,
        store: (any SessionRecordStore)? = nil, loads: (any LoadCompletion)? = nil, eventLoops: any EventLoopGroup,
        stopsApps: Bool, logger: Logger,
        random: @escaping @Sendable () -> Double = { Double.random(in: -1...1) },
        wallClock: (@Sendable () -> Int64)? = nil
    ) async throws {
        self.events = events
        self.store = store
        self.loads = loads
        self.eventLoops = eventLoops
        self.logger = logger
        self.random = random
        self.wallClock = wallClock ?? { Int64(time(nil)) }
        let update = try await self.prepare(
            devices: devices, configuration: configuration, sessions: sessions, stopsApps: stopsApps)
        try await self.commit(update)
    }

    /// True while the channel to a device is open; false for one that does not exist.
    public func isOnline(_ device: String) -> Bool {
        self.online.contains(device)
    }

    /// What came of asking the device to prove itself, the last time; nil while it has not been asked.
    public func authentication(of device: String) -> DeviceAuthenticationRecord? {
        self.authentications[device]
    }

    /// Where the device's channel lives; nil when there is no such device.
    public func eventLoop(for device: String) -> (any EventLoop)? {
        self.entry(device)?.eventLoop
    }

    /// A relay to the device, on its event loop; nil when there is no such device.
    public func makeTarget(for device: String, virtualDevice: DeviceFacts) -> (any DeviceTarget)? {
        self.entry(device).map { DeviceRelay(virtualDevice: virtualDevice, session: $0.session.value) }
    }

    /// What the service is called in logs.
    public var description: String { "device sessions" }

    func entry(_ device: String) -> DeviceSessionEntry? {
        self.state.withLock { $0.entries[device] }
    }

    // MARK: A new configuration

    /// Makes what another set of devices needs; what runs goes on as it is.
    /// - Parameters:
    ///   - devices: all names and addresses, as for ``init``.
    ///   - sessions: how sessions are kept.
    ///   - eventLoops: where certain devices have to live. One that lives elsewhere gets a new channel there.
    /// - Throws: when TLS cannot be set up, and `IdentityError` when a trust anchor cannot be read.
    public func prepare(
        devices: [String: [DeviceAddress]], configuration: ConnectionsConfiguration,
        sessions: SessionsConfiguration = SessionsConfiguration(), stopsApps: Bool,
        eventLoops: [String: any EventLoop] = [:]
    ) async throws -> DeviceSessionUpdate {
        let pipeline = CastPipeline(
            role: .sender,
            heartbeat: .init(
                interval: TimeAmount(configuration.heartbeatInterval),
                timeout: TimeAmount(configuration.heartbeatTimeout)),
            handshakeTimeout: TimeAmount(configuration.dialTimeout))
        let dialer = try CastDialer(pipeline: pipeline, timeout: TimeAmount(configuration.dialTimeout))
        let backoff = Backoff(
            initial: configuration.reconnectInitial, maximum: configuration.reconnectMaximum,
            jitter: configuration.reconnectJitter, random: self.random)
        let verification = try DeviceVerification(configuration, wallClock: self.wallClock)
        let (old, addressBook) = self.state.withLock { ($0.entries, $0.addressBook) }
        var entries: [String: DeviceSessionEntry] = [:]
        var added: [DeviceSessionEntry] = []
        var kept: [DeviceSessionEntry] = []
        var adopted: [DeviceSessionEntry] = []
        // A device that is there for its session alone is nobody's but the session's.
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
            let found = addressBook[name] ?? []
            let entry = try await self.makeEntry(name, addresses, found, verification, on: eventLoop) {
                DeviceSessionSettings(dialer: dialer, backoff: backoff, sessions: sessions)
            }
            entries[name] = entry
            added.append(entry)
        }
        return DeviceSessionUpdate(
            entries: entries, added: added, retired: retired, moved: moved, kept: kept, adopted: adopted,
            dialer: dialer,
            backoff: backoff, sessions: sessions, verification: verification, stopsApps: stopsApps)
    }

    private func makeEntry(
        _ name: String, _ addresses: [DeviceAddress], _ found: [DeviceAddress], _ verification: DeviceVerification,
        on eventLoop: any EventLoop, settings: @escaping @Sendable () -> DeviceSessionSettings
    ) async throws -> DeviceSessionEntry {
        var logger = self.logger
        logger[metadataKey: "target"] = "\(name)"
        let (showsVideo, wantedApps) = self.state.withLock { ($0.showsVideo[name], $0.wantedApps) }
        let session = try await eventLoop.submit { [weak self, logger, online, events, store, loads, authentications] in
            let session = DeviceSession(
                name: name, candidates: addresses + found, settings: settings(), online: online, events: events,
                store: store, eventLoop: eventLoop, logger: logger)
            session.authenticator = DeviceAuthenticator(
                device: name, verification: verification, records: authentications, events: events,
                eventLoop: eventLoop, logger: logger)
            session.authenticator?.showsVideo = showsVideo
            session.loads = loads
            session.wantedApps = wantedApps
            session.learnedOf = { self?.learned(app: $0, of: name, isAvailable: $1) }
            return NIOLoopBound(session, eventLoop: eventLoop)
        }.get()
        return DeviceSessionEntry(
            name: name, addresses: addresses, eventLoop: eventLoop, session: session)
    }

    /// Puts an update in force: new devices are dialled, moved ones dialled anew, and those that are gone hung up as soon
    /// as no virtual device relays to them any more.
    /// - Throws: when an event loop has been shut down.
    public func commit(_ update: DeviceSessionUpdate) async throws {
        self.authentications.keepOnly(Set(update.entries.keys))
        let adopted = Set(update.adopted.map(\.name))
        let (isRunning, displaced) = self.state.withLock { state in
            let onDemand = state.entries.filter { $0.value.isOnDemand }
            state.entries = update.entries.merging(onDemand) { configured, _ in configured }
            state.update = update
            state.stopsApps = update.stopsApps
            // What a session brought in since the update was made has to make room for it.
            let displaced = onDemand.values.filter { update.entries[$0.name] != nil && !adopted.contains($0.name) }
            return (state.isRunning, displaced)
        }
        for entry in update.kept {
            try await entry.submit {
                $0.configure(update.settings)
                $0.authenticator?.verification = update.verification
            }
        }
        for entry in update.adopted {
            try await entry.submit { $0.becomeConfigured(at: entry.addresses, isRunning: isRunning) }
        }
        for (entry, addresses) in update.moved { try await entry.submit { $0.move(to: addresses) } }
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
    public func run() async throws {
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

    /// Lets every session look after its device when the host has slept.
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
        for entry in self.state.withLock({ $0.entries }).values { entry.execute { $0.hostSlept() } }
    }

    func networkReturned(isLink: Bool) {
        for entry in self.state.withLock({ $0.entries }).values {
            entry.execute { $0.networkReturned(isLink: isLink) }
        }
    }

    // MARK: Sessions

    /// Says who finds devices that are not in the configuration.
    public func find(by locator: any DeviceLocator) {
        self.state.withLock { $0.locator = locator }
    }

    /// The number of the next session.
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

    /// A device that has its place here only as long as a session wants it.
    /// - Parameter known: where it was, if discovery knows nothing.
    /// - Returns: nil when nobody knows where it is, or the gateway does not run.
    func makeOnDemand(_ device: String, known: [DeviceAddress] = []) async throws -> DeviceSessionEntry? {
        let (update, told, locator) = self.state.withLock { ($0.update, $0.addressBook[device], $0.locator) }
        let found = told ?? locator?.addresses(of: device) ?? []
        guard let update, !(found + known).isEmpty else { return nil }
        var made = try await self.makeEntry(
            device, [], found + known, update.verification, on: self.eventLoops.next(), settings: { update.settings })
        made.isOnDemand = true
        let entry = made
        let (other, isRunning) = self.state.withLock { state in
            // Somebody else may have been quicker.
            if let other = state.entries[device] { return (DeviceSessionEntry?.some(other), state.isRunning) }
            state.entries[device] = entry
            return (nil, state.isRunning)
        }
        if let other { return other }
        locator?.follow(device)
        entry.execute { session in
            session.whenUnused = { [weak self] in self?.forget(entry) }
            if isRunning { session.start() }
        }
        return entry
    }

    private func learned(app: AppID, of device: String, isAvailable: Bool) {
        self.state.withLock { $0.locator }?.note(app: app, of: device, isAvailable: isAvailable)
    }

    private func forget(_ entry: DeviceSessionEntry) {
        let locator = self.state.withLock { state in
            if state.entries[entry.name]?.isOnDemand == true { state.entries[entry.name] = nil }
            return state.locator
        }
        locator?.unfollow(entry.name)
    }

    /// Takes up what is written down, or strikes it out when that is not wanted.
    private func restoreSessions() async {
        guard let store, let update = self.state.withLock({ $0.update }) else { return }
        let records: [SessionRecord]
        do {
            records = try await NIOThreadPool.singleton.runIfActive { try store.load() }
        } catch {
            self.logger.error("Stored sessions cannot be read", metadata: ["reason": "\(error)"])
            return
        }
        for record in records {
            if update.sessions.restoresOnStart {
                try? await self.restore(record)
            } else {
                store.remove(device: record.device)
            }
        }
    }

    private func restore(_ record: SessionRecord) async throws {
        var entry = self.entry(record.device)
        if entry == nil { entry = try await self.makeOnDemand(record.device, known: record.addresses) }
        let number = self.nextSessionNumber()
        try await entry?.submit { session in session.restore(record, number: number) }
    }
}

// What discovery tells.
extension DeviceSessionDirectory: DeviceAddressBook {
    /// Takes where a device may be reached now. One that is out of reach is dialled at once, if it was announced or has a
    /// new address; one that nobody wants is kept in mind.
    public func update(device: String, candidates: [DeviceAddress], isAnnounced: Bool) {
        let entry = self.state.withLock { state in
            if state.addressBook.count < Self.maximumAddresses || state.addressBook[device] != nil {
                state.addressBook[device] = candidates.isEmpty ? nil : candidates
            }
            return state.entries[device]
        }
        entry?.execute { session in session.setCandidates(candidates, isAnnounced: isAnnounced) }
    }

    /// Takes whether a device announces that it shows video, which its certificates may contradict; nil when it announces
    /// nothing.
    public func note(showsVideo: Bool?, of device: String) {
        let (entry, isNews) = self.state.withLock { state in
            let isNews = state.showsVideo[device] != showsVideo
            if state.showsVideo.count < Self.maximumAddresses || state.showsVideo[device] != nil {
                state.showsVideo[device] = showsVideo
            }
            return (state.entries[device], isNews)
        }
        guard isNews else { return }
        entry?.execute { session in session.authenticator?.showsVideo = showsVideo }
    }

    /// Takes which apps each device is to be asked for when its channel stands.
    public func ask(for apps: [AppID]) {
        let entries = self.state.withLock { state in
            state.wantedApps = apps
            return state.entries
        }
        for entry in entries.values { entry.execute { session in session.want(apps) } }
    }
}
