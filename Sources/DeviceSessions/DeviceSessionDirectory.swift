import CastTransport
public import GatewayCore
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

    /// Prepares a session per device, spread over the event loops; nothing is dialled before ``run()``.
    /// - Parameters:
    ///   - devices: names and addresses.
    ///   - stopsApps: whether what runs on the devices is stopped at the end; otherwise it plays on.
    ///   - random: gives numbers from -1 to 1, for the jitter of the pauses between dials.
    /// - Throws: when TLS cannot be set up.
    public init(
        devices: [String: DeviceAddress], configuration: ConnectionsConfiguration, events: EventBus,
        eventLoops: any EventLoopGroup, stopsApps: Bool, logger: Logger,
        random: @escaping @Sendable () -> Double = { Double.random(in: -1...1) }
    ) async throws {
        self.events = events
        self.eventLoops = eventLoops
        self.logger = logger
        self.random = random
        let update = try await self.prepare(devices: devices, configuration: configuration, stopsApps: stopsApps)
        try await self.commit(update)
    }

    /// True while the channel to a device is open; false for one that does not exist.
    public func isOnline(_ device: String) -> Bool {
        self.online.contains(device)
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
    /// - Throws: when TLS cannot be set up.
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
            let entry = try await self.makeEntry(name, address, dialer, backoff, on: eventLoop)
            entries[name] = entry
            added.append(entry)
        }
        return DeviceSessionUpdate(
            entries: entries, added: added, retired: retired, moved: moved, kept: kept, dialer: dialer,
            backoff: backoff, stopsApps: stopsApps)
    }

    private func makeEntry(
        _ name: String, _ address: DeviceAddress, _ dialer: CastDialer, _ backoff: Backoff,
        on eventLoop: any EventLoop
    ) async throws -> DeviceSessionEntry {
        var logger = self.logger
        logger[metadataKey: "target"] = "\(name)"
        let session = try await eventLoop.submit { [logger, online, events] in
            NIOLoopBound(
                DeviceSession(
                    name: name, address: address, dialer: dialer, backoff: backoff, online: online,
                    events: events, eventLoop: eventLoop, logger: logger),
                eventLoop: eventLoop)
        }.get()
        return DeviceSessionEntry(address: address, eventLoop: eventLoop, session: session)
    }

    /// Puts an update in force: new devices are dialled, moved ones dialled anew, and those that are gone hung up as soon
    /// as no virtual device relays to them any more.
    /// - Throws: when an event loop has been shut down.
    public func commit(_ update: DeviceSessionUpdate) async throws {
        let isRunning = self.state.withLock { state in
            state.entries = update.entries
            state.stopsApps = update.stopsApps
            return state.isRunning
        }
        for entry in update.kept {
            try await entry.submit { $0.configure(dialer: update.dialer, backoff: update.backoff) }
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
