import CastDiscovery
import CastTransport
import DeviceListening
import GatewayConfig
import GatewayCore
import HTTPServing
import Logging
import NIOCore
import NIOPosix

/// What a device that is passed through is made of while it runs.
struct PassthroughParts: Sendable {
    let eventLoop: any EventLoop
    let device: NIOLoopBound<PassthroughDevice>
    let desk: SetupDesk
    var listener: any Channel
    var setup: SetupProxy?

    /// The port that it really listens on.
    func port(_ settings: PassthroughSettings) -> Int { self.listener.localAddress?.port ?? settings.listen.port }

    /// Every socket that the device listens on.
    var sockets: [any Channel] { [self.listener] + [self.setup?.channel].compactMap(\.self) }

    /// Does something with the device, where it lives.
    func submit<Value: Sendable>(_ body: @escaping @Sendable (PassthroughDevice) -> Value) async throws -> Value {
        try await self.eventLoop.submit { body(self.device.value) }.get()
    }
}

/// Makes the parts of a device that is passed through: the device on its event loop, its listener, its set-up port.
struct PassthroughMaker: Sendable {
    let settings: CurrentPassthrough
    let refusals: RefusalLog
    /// The ports that a listener of this process gives up for this device.
    let sharedPorts: Set<Int>
    let logger: Logger
    /// Seconds since 1970.
    let wallClock: @Sendable () -> Int64
    let interfaces: @Sendable () -> InterfaceTable

    /// Makes all parts; nothing is left behind when one cannot be made.
    func makeParts(isAccepting: Bool) async throws -> PassthroughParts {
        let (settings, environment) = self.settings.both
        let eventLoop = environment.eventLoops.next()
        let desk = SetupDesk()
        let device = try await eventLoop.submit {
            let device = PassthroughDevice(
                settings, environment: environment, desk: desk, refusals: self.refusals, eventLoop: eventLoop,
                logger: self.logger, wallClock: self.wallClock, interfaces: self.interfaces,
                tell: { [settings = self.settings] in settings.tell($0) })
            environment.running.add(device)
            return NIOLoopBound(device, eventLoop: eventLoop)
        }.get()
        do {
            var parts = PassthroughParts(
                eventLoop: eventLoop, device: device, desk: desk,
                listener: try await self.listen(
                    on: settings.listen, for: device, isAccepting: isAccepting,
                    isShared: self.sharedPorts.contains(settings.listen.port)))
            do {
                parts.setup = try await self.makeSetup(settings.setup, parts, sharedPorts: self.sharedPorts)
                return parts
            } catch {
                try? await parts.listener.close()
                throw error
            }
        } catch {
            try await eventLoop.submit {
                device.value.stop("the gateway stops")
                environment.running.remove(device.value)
            }.get()
            throw error
        }
    }

    /// Binds an address for senders.
    /// - Throws: ``GatewayError`` with `listenFailed`.
    func listen(
        on address: ListenAddress, for device: NIOLoopBound<PassthroughDevice>, isAccepting: Bool, isShared: Bool
    ) async throws -> any Channel {
        let environment = self.settings.environment
        let (admission, shortage) = (environment.admission, environment.shortage)
        let bootstrap = SpliceSockets.set(on: ServerBootstrap(group: device.eventLoop))
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.autoRead, value: isAccepting)
            .serverChannelOption(.socketOption(SharedAddress.option), value: isShared ? 1 : 0)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try AcceptHandlers.install(
                        in: channel, acceptsPerSecond: { admission.acceptsPerSecond(.senders) },
                        accepting: { shortage.note($0) })
                }
            }
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try device.value.accept(channel) }
            }
        do {
            return try await bootstrap.bind(host: address.host, port: address.port).get()
        } catch {
            throw GatewayError(
                .listenFailed,
                "virtual device '\(self.settings.settings.name)' cannot listen on \(address): \(TransportError.text(ofListening: error))"
            )
        }
    }

    /// Binds an address for set-up; nil when none is wanted.
    /// - Throws: ``GatewayError`` with `listenFailed`.
    func makeSetup(
        _ address: ListenAddress?, _ parts: PassthroughParts, sharedPorts: Set<Int>
    ) async throws -> SetupProxy? {
        guard let address else { return nil }
        let (settings, refusals, device) = (self.settings, self.refusals, parts.device)
        let shortage = settings.environment.shortage
        return try await SetupProxy(
            address: address, desk: parts.desk, limits: { settings.environment.setup }, on: parts.eventLoop,
            sharesAddress: sharedPorts.contains(address.port), admission: settings.environment.admission,
            rules: HTTPListener.Rules(
                limits: { settings.environment.setupConnections },
                // Connections to it live where the device lives.
                obstacle: { device.value.obstacle(for: $0) },
                refused: { refusals.note(address: $0, reason: $1, listener: .setup, at: .now()) },
                accepting: { shortage.note($0) }),
            logger: self.logger)
    }
}
