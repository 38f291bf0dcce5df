import CastIdentity
import CastTransport
import GatewayConfig
public import GatewayCore
public import Logging
public import NIOCore
public import ServiceLifecycle
import Synchronization

/// Runs one virtual device: its identity, its listener, its set-up endpoints, until graceful shutdown or ``stop(_:)``.
///
/// While it runs, ``prepare(_:environment:sharedPorts:)`` readies it for another configuration.
public final class VirtualDeviceService: Service, CustomStringConvertible {
    /// What others ask of the running service.
    enum Command: Sendable {
        case answer(SetupEndpoint)
        case stop(String)
    }

    /// How long senders may take to hang up when they are let go.
    private static let farewell = TimeAmount.seconds(1)

    /// The name in `gateway.yaml`.
    public let name: String
    let settings: DeviceSettings
    let logger: Logger
    let refusals: RefusalLog
    let wallClock: @Sendable () -> Int64
    let sharedPorts: Set<Int>
    let parts = Mutex<VirtualDeviceParts?>(nil)
    let clock: any Clock<Duration>
    private let isAccepting: Bool
    private let onListening: @Sendable (_ endpoints: VirtualDeviceEndpoints) -> Void
    private let listening: EventLoopPromise<VirtualDeviceEndpoints>
    private let commands: AsyncStream<Command>
    private let commandInput: AsyncStream<Command>.Continuation

    /// Describes a device to run.
    /// - Parameters:
    ///   - target: makes what stands behind the device.
    ///   - sharedPorts: the ports that a listener of this process gives up for this device.
    ///   - isAccepting: false keeps senders waiting until ``accept()``.
    ///   - clock: paces the look at the certificate's end.
    ///   - wallClock: seconds since 1970, for certificates.
    ///   - onListening: called once, when senders can connect.
    public init(
        configuration: VirtualDeviceSettings, target: any DeviceTargetFactory,
        environment: VirtualDeviceEnvironment, logger: Logger, sharedPorts: Set<Int> = [], isAccepting: Bool = true,
        clock: any Clock<Duration> = ContinuousClock(), wallClock: @escaping @Sendable () -> Int64,
        onListening: @escaping @Sendable (_ endpoints: VirtualDeviceEndpoints) -> Void = { _ in }
    ) {
        self.name = configuration.name
        self.settings = DeviceSettings(configuration, target, environment)
        var logger = logger
        logger[metadataKey: "device"] = "\(configuration.name)"
        self.logger = logger
        self.refusals = RefusalLog(device: configuration.name, events: environment.events, logger: logger)
        self.sharedPorts = sharedPorts
        self.isAccepting = isAccepting
        self.clock = clock
        self.wallClock = wallClock
        self.onListening = onListening
        self.listening = environment.eventLoops.next().makePromise()
        (self.commands, self.commandInput) = AsyncStream.makeStream(of: Command.self)
    }

    deinit {
        // Says nothing to anybody when the device has been listening.
        self.listening.fail(GatewayError(.listenFailed, "the virtual device was stopped"))
    }

    /// What the service is called in logs.
    public var description: String { "virtual device '\(self.name)'" }

    /// What it goes by now.
    public var configuration: VirtualDeviceSettings { self.settings.configuration }

    /// Where it can be reached now; nil while it cannot.
    public var endpoints: VirtualDeviceEndpoints? {
        self.parts.withLock { $0 }.map { $0.endpoints(self.configuration) }
    }

    /// Where it lives; nil while it does not.
    public var eventLoop: (any EventLoop)? { self.parts.withLock { $0?.eventLoop } }

    /// Waits until it listens.
    /// - Throws: what keeps it from listening, as ``run()`` does.
    @discardableResult
    public func untilListening() async throws -> VirtualDeviceEndpoints {
        try await self.listening.futureResult.get()
    }

    /// Lets in senders that have been waiting.
    public func accept() async throws {
        try await self.parts.withLock { $0?.listener }?.setOption(.autoRead, value: true).get()
        try await self.announce()
    }

    /// Announces the device as it is now.
    private func announce() async throws {
        guard let parts = self.parts.withLock({ $0 }) else { return }
        let advertisement = parts.advertisement(self.configuration, self.settings.target)
        try await parts.submit { $0.publication?.announce(advertisement) }
    }

    /// The id that it is announced under; nil before it listens.
    public var deviceID: String? { self.parts.withLock { $0?.identity.idHex } }

    /// Ends the device: senders have the drain time for what is under way, then they are hung up for this reason.
    public func stop(_ reason: String) {
        self.commandInput.yield(.stop(reason))
    }

    /// Serves senders until graceful shutdown or ``stop(_:)``.
    /// - Throws: ``GatewayError`` with `listenFailed` when an address cannot be bound, `unknownDevice` when the target
    ///   does not exist, and what the identity store throws.
    public func run() async throws {
        let made: VirtualDeviceParts
        do {
            made = try await self.makeParts(isAccepting: self.isAccepting)
        } catch {
            self.listening.fail(error)
            throw error
        }
        self.parts.withLock { $0 = made }
        let endpoints = made.endpoints(self.configuration)
        self.logger.info(
            "Listening",
            metadata: ["host": "\(self.configuration.listen.host)", "port": .stringConvertible(endpoints.castPort)])
        await withTaskGroup(of: Void.self) { group in
            for endpoint in [made.http, made.https].compactMap(\.self) { group.addTask { await endpoint.run() } }
            group.addTask { await self.renewCertificate(made.certificate, of: made.identity) }
            group.addTask {
                try? await gracefulShutdown()
                self.stop("the gateway stops")
            }
            if self.isAccepting { try? await self.announce() }
            self.listening.succeed(endpoints)
            self.onListening(endpoints)
            await self.obeyCommands(&group)
            group.cancelAll()
        }
        self.commandInput.finish()
        for await case .answer(let endpoint) in self.commands { await endpoint.discard() }
        self.logger.info("Stopped")
    }

    /// Runs set-up endpoints as they come, until it is time to stop.
    private func obeyCommands(_ group: inout TaskGroup<Void>) async {
        for await command in self.commands {
            switch command {
            case .answer(let endpoint): group.addTask { await endpoint.run() }
            case .stop(let reason): return await self.end(reason)
            }
        }
        await self.end("the gateway stops")
    }

    private func end(_ reason: String) async {
        guard let parts = self.parts.withLock({ $0 }) else { return }
        do {
            try await parts.submit { $0.publication?.withdraw() }
            // Closed already when another device has taken the address over.
            try? await parts.listener.close()
            let drain = TimeAmount(self.settings.environment.drain)
            try await parts.eventLoop.flatSubmit { parts.device.value.drain(for: drain) }.get()
            try await parts.submit { [running = self.settings.environment.running] in
                running.remove($0)
                $0.stop(reason)
            }
            try await parts.eventLoop.flatSubmit { parts.device.value.farewell(for: Self.farewell) }.get()
        } catch {
            self.logger.error("Not stopped in order", metadata: ["reason": "\(error)"])
        }
    }

    /// Lets an endpoint answer as long as the device runs.
    func run(_ endpoint: SetupEndpoint) async {
        if case .terminated = self.commandInput.yield(.answer(endpoint)) { await endpoint.discard() }
    }
}
