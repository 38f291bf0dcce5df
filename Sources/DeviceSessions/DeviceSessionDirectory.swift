import CastTransport
public import GatewayCore
public import Logging
public import NIOCore
public import ServiceLifecycle

/// The real devices that the gateway knows: keeps a channel to each, and hands out relays to them.
public final class DeviceSessionDirectory: DeviceDirectory, Service, CustomStringConvertible {
    private struct Entry: Sendable {
        let eventLoop: any EventLoop
        let session: NIOLoopBound<DeviceSession>
    }

    private let entries: [String: Entry]
    private let stopsApps: Bool
    private let online = OnlineDevices()

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
        let pipeline = CastPipeline(
            role: .sender,
            heartbeat: .init(
                interval: TimeAmount(configuration.heartbeatInterval),
                timeout: TimeAmount(configuration.heartbeatTimeout)),
            handshakeTimeout: TimeAmount(configuration.dialTimeout))
        let dialer = try CastDialer(pipeline: pipeline, timeout: TimeAmount(configuration.dialTimeout))
        let backoff = Backoff(
            initial: configuration.reconnectInitial, maximum: configuration.reconnectMaximum,
            jitter: configuration.reconnectJitter, random: random)
        var entries: [String: Entry] = [:]
        for (name, address) in devices.sorted(by: { $0.key < $1.key }) {
            let eventLoop = eventLoops.next()
            var logger = logger
            logger[metadataKey: "target"] = "\(name)"
            let session = try await eventLoop.submit { [logger, online] in
                NIOLoopBound(
                    DeviceSession(
                        name: name, address: address, dialer: dialer, backoff: backoff, online: online,
                        events: events, eventLoop: eventLoop, logger: logger),
                    eventLoop: eventLoop)
            }.get()
            entries[name] = Entry(eventLoop: eventLoop, session: session)
        }
        self.entries = entries
        self.stopsApps = stopsApps
    }

    /// True while the channel to a device is open; false for one that does not exist.
    public func isOnline(_ device: String) -> Bool {
        self.online.contains(device)
    }

    /// Where the device's channel lives; nil when there is no such device.
    public func eventLoop(for device: String) -> (any EventLoop)? {
        self.entries[device]?.eventLoop
    }

    /// A relay to the device, on its event loop; nil when there is no such device.
    public func makeTarget(for device: String, virtualDevice: DeviceFacts) -> (any DeviceTarget)? {
        self.entries[device].map { DeviceRelay(virtualDevice: virtualDevice, session: $0.session.value) }
    }

    /// What the service is called in logs.
    public var description: String { "device sessions" }

    /// Keeps the channels open until graceful shutdown.
    public func run() async throws {
        for entry in self.entries.values {
            entry.eventLoop.execute { entry.session.value.start() }
        }
        try? await gracefulShutdown()
        for entry in self.entries.values {
            try await entry.eventLoop.submit { entry.session.value.stop(stoppingApps: self.stopsApps) }.get()
        }
    }
}
