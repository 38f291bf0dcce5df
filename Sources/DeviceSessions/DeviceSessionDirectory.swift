import CastTransport
public import GatewayCore
import Glibc
public import Logging
public import NIOCore
public import ServiceLifecycle
import Synchronization

/// The real devices that the gateway knows: keeps a channel to each, and hands out relays to them.
///
/// A new configuration comes in two steps: ``prepare(devices:configuration:stopsApps:eventLoops:)`` makes what it needs
/// without touching what runs, ``commit(_:)`` puts it in force.
public final class DeviceSessionDirectory: DeviceDirectory, Service, CustomStringConvertible {
    private struct State {
        var entries: [String: DeviceSessionEntry] = [:]
        var stopsApps = false
        var isRunning = false
    }

    private let state = Mutex(State())
    private let online = OnlineDevices()
    private let events: EventBus
    private let eventLoops: any EventLoopGroup
    private let logger: Logger
    private let random: @Sendable () -> Double
    private let wallClock: @Sendable () -> Int64
    private let authentications = DeviceAuthenticationRecords()

    /// Prepares a session per device, spread over the event loops; nothing is dialled before ``run()``.
    /// - Parameters:
    ///   - devices: names and addresses.
    ///   - stopsApps: whether what runs on the devices is stopped at the end; otherwise it plays on.
    ///   - random: gives numbers from -1 to 1, for the jitter of the pauses between dials.
    ///   - wallClock: gives seconds since 1970, for certificates; nil for the system's.
    /// - Throws: when TLS cannot be set up, and `IdentityError` when a trust anchor cannot be read.
    public init(
        devices: [String: DeviceAddress], configuration: ConnectionsConfiguration, events: EventBus,
        eventLoops: any EventLoopGroup, stopsApps: Bool, logger: Logger,
        random: @escaping @Sendable () -> Double = { Double.random(in: -1...1) },
        wallClock: (@Sendable () -> Int64)? = nil
    ) async throws {
        self.events = events
        self.eventLoops = eventLoops
        self.logger = logger
        self.random = random
        self.wallClock = wallClock ?? { Int64(time(nil)) }
        let update = try await self.prepare(devices: devices, configuration: configuration, stopsApps: stopsApps)
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

    /// Takes whether a device announces that it shows video, which its certificates may contradict; nil when it announces
    /// nothing.
    public func note(showsVideo: Bool?, of device: String) {
        guard let entry = self.entry(device) else { return }
        entry.eventLoop.execute { entry.session.value.authenticator?.showsVideo = showsVideo }
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

    private func entry(_ device: String) -> DeviceSessionEntry? {
        self.state.withLock { $0.entries[device] }
    }

    // MARK: A new configuration

    /// Makes what another set of devices needs; what runs goes on as it is.
    /// - Parameters:
    ///   - devices: all names and addresses.
    ///   - eventLoops: where certain devices have to live. One that lives elsewhere gets a new channel there.
    /// - Throws: when TLS cannot be set up, and `IdentityError` when a trust anchor cannot be read.
    public func prepare(
        devices: [String: DeviceAddress], configuration: ConnectionsConfiguration, stopsApps: Bool,
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
        let old = self.state.withLock { $0.entries }
        var entries: [String: DeviceSessionEntry] = [:]
        var added: [DeviceSessionEntry] = []
        var kept: [DeviceSessionEntry] = []
        var retired = old.filter { devices[$0.key] == nil }.map(\.value)
        var moved: [(DeviceSessionEntry, DeviceAddress)] = []
        for (name, address) in devices.sorted(by: { $0.key < $1.key }) {
            if let entry = old[name], eventLoops[name].map({ $0 === entry.eventLoop }) ?? true {
                if entry.address != address { moved.append((entry, address)) }
                entries[name] = DeviceSessionEntry(
                    address: address, eventLoop: entry.eventLoop, session: entry.session)
                kept.append(entry)
                continue
            }
            if let entry = old[name] { retired.append(entry) }
            let eventLoop = eventLoops[name] ?? self.eventLoops.next()
            let entry = try await self.makeEntry(name, address, dialer, backoff, verification, on: eventLoop)
            entries[name] = entry
            added.append(entry)
        }
        return DeviceSessionUpdate(
            entries: entries, added: added, retired: retired, moved: moved, kept: kept, dialer: dialer,
            backoff: backoff, verification: verification, stopsApps: stopsApps)
    }

    private func makeEntry(
        _ name: String, _ address: DeviceAddress, _ dialer: CastDialer, _ backoff: Backoff,
        _ verification: DeviceVerification, on eventLoop: any EventLoop
    ) async throws -> DeviceSessionEntry {
        var logger = self.logger
        logger[metadataKey: "target"] = "\(name)"
        let session = try await eventLoop.submit { [logger, online, events, authentications] in
            let session = DeviceSession(
                name: name, address: address, dialer: dialer, backoff: backoff, online: online,
                events: events, eventLoop: eventLoop, logger: logger)
            session.authenticator = DeviceAuthenticator(
                device: name, verification: verification, records: authentications, events: events,
                eventLoop: eventLoop, logger: logger)
            return NIOLoopBound(session, eventLoop: eventLoop)
        }.get()
        return DeviceSessionEntry(address: address, eventLoop: eventLoop, session: session)
    }

    /// Puts an update in force: new devices are dialled, moved ones dialled anew, and those that are gone hung up as soon
    /// as no virtual device relays to them any more.
    /// - Throws: when an event loop has been shut down.
    public func commit(_ update: DeviceSessionUpdate) async throws {
        self.authentications.keepOnly(Set(update.entries.keys))
        let isRunning = self.state.withLock { state in
            state.entries = update.entries
            state.stopsApps = update.stopsApps
            return state.isRunning
        }
        for entry in update.kept {
            try await entry.submit {
                $0.configure(dialer: update.dialer, backoff: update.backoff)
                $0.authenticator?.verification = update.verification
            }
        }
        for (entry, address) in update.moved { try await entry.submit { $0.move(to: address) } }
        for entry in update.retired { try await entry.submit { $0.retire() } }
        guard isRunning else { return }
        for entry in update.added { try await entry.submit { $0.start() } }
    }

    /// Keeps the channels open until graceful shutdown.
    public func run() async throws {
        let entries = self.state.withLock { state in
            state.isRunning = true
            return state.entries
        }
        for entry in entries.values { try await entry.submit { $0.start() } }
        try? await gracefulShutdown()
        let (last, stopsApps) = self.state.withLock { state in
            state.isRunning = false
            return (state.entries, state.stopsApps)
        }
        for entry in last.values { try await entry.submit { $0.stop(stoppingApps: stopsApps) } }
    }
}
