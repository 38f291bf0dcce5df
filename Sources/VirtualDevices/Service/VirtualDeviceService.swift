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
/// ``run()`` has ``VirtualDeviceMaker`` make the parts, then waits for commands: to answer at one more set-up endpoint, or to
/// stop. While it runs, ``prepare(_:target:environment:sharedPorts:)`` readies it for another configuration.
public final class VirtualDeviceService: Service, CustomStringConvertible {
    private enum Command: Sendable {
        case answer(SetupEndpoint)
        case stop(String)
    }

    /// How long senders may take to hang up when they are disconnected.
    private static let hangUpTime = TimeAmount.seconds(1)

    /// The name in `gateway.yaml`.
    public let name: String
    let logger: Logger
    let maker: VirtualDeviceMaker
    private let settings: CurrentSettings
    private let parts = Mutex<VirtualDeviceParts?>(nil)
    private let clock: any Clock<Duration>
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
    ///   - clock: paces the checks of the certificate's end.
    ///   - wallClock: seconds since 1970, for certificates.
    ///   - onListening: called once, when senders can connect.
    public init(
        configuration: VirtualDeviceSettings, target: any DeviceTargetFactory,
        environment: VirtualDeviceEnvironment, logger: Logger, sharedPorts: Set<Int> = [], isAccepting: Bool = true,
        clock: any Clock<Duration> = ContinuousClock(), wallClock: @escaping @Sendable () -> Int64,
        onListening: @escaping @Sendable (_ endpoints: VirtualDeviceEndpoints) -> Void = { _ in }
    ) {
        var logger = logger
        logger[metadataKey: "device"] = "\(configuration.name)"
        self.name = configuration.name
        self.logger = logger
        self.settings = CurrentSettings(
            CurrentSettings.Values(
                configuration: configuration, target: target, environment: environment, receiver: nil))
        self.maker = VirtualDeviceMaker(
            name: configuration.name, settings: self.settings,
            refusals: RefusalLog(device: configuration.name, events: environment.events, logger: logger),
            sharedPorts: sharedPorts, logger: logger, wallClock: wallClock)
        self.isAccepting = isAccepting
        self.clock = clock
        self.onListening = onListening
        self.listening = environment.eventLoops.next().makePromise()
        (self.commands, self.commandInput) = AsyncStream.makeStream(of: Command.self)
    }

    deinit {
        // Has no effect when the device has been listening.
        self.listening.fail(GatewayError(.listenFailed, "the virtual device was stopped"))
    }

    /// What the service is called in logs.
    public var description: String { "virtual device '\(self.name)'" }

    /// The settings in force.
    public var configuration: VirtualDeviceSettings { self.settings.configuration }

    /// Where it can be reached now; nil while it cannot.
    public var endpoints: VirtualDeviceEndpoints? {
        self.parts.withLock { $0 }.map { $0.endpoints(self.configuration) }
    }

    /// When the TLS certificate ends that new channels are served, in seconds since 1970; nil while it does not run.
    public var certificateEnd: Int64? { self.parts.withLock { $0?.certificate.current.notAfter } }

    /// The event loop that it lives on; nil while it does not run.
    public var eventLoop: (any EventLoop)? { self.parts.withLock { $0?.eventLoop } }

    /// The id that it is announced under; nil before it listens.
    public var deviceID: String? { self.parts.withLock { $0?.identity.idHex } }

    /// The sockets that it listens on.
    public var sockets: [any Channel] { self.parts.withLock { $0 }?.sockets ?? [] }

    // MARK: Running

    /// Serves senders until graceful shutdown or ``stop(_:)``.
    /// - Throws: ``GatewayError`` with `listenFailed` when an address cannot be bound, `unknownDevice` when the target
    ///   does not exist, and what the identity store throws.
    public func run() async throws {
        let made: VirtualDeviceParts
        do {
            made = try await self.maker.makeParts(isAccepting: self.isAccepting)
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
            group.addTask {
                await made.certificate.renew(clock: self.clock) { identity in
                    // A device that has ended needs none.
                    try? await made.submit { $0.follow(identity) }
                }
            }
            group.addTask {
                try? await gracefulShutdown()
                self.stop("the gateway stops")
            }
            if self.isAccepting { try? await self.announce() }
            self.listening.succeed(endpoints)
            self.onListening(endpoints)
            await self.runCommands(&group)
            group.cancelAll()
        }
        self.commandInput.finish()
        for await case .answer(let endpoint) in self.commands { await endpoint.discard() }
        self.logger.info("Stopped")
    }

    /// Runs set-up endpoints as they come, until it is time to stop.
    private func runCommands(_ group: inout TaskGroup<Void>) async {
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
            try await parts.eventLoop.flatSubmit { parts.device.value.waitForSenders(atMost: Self.hangUpTime) }.get()
        } catch {
            self.logger.error("Not stopped in order", metadata: ["reason": "\(error)"])
        }
    }

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

    /// Announces the device while what stands behind it is there, and takes the announcement back otherwise; its listener and
    /// its senders stay. Does nothing while it does not run.
    public func announce(whileTargetIsThere isThere: Bool) {
        guard let parts = self.parts.withLock({ $0 }) else { return }
        parts.eventLoop.execute { parts.device.value.publication?.hold(!isThere) }
    }

    /// Announces the device as it is now.
    private func announce() async throws {
        guard let parts = self.parts.withLock({ $0 }) else { return }
        let advertisement = parts.advertisement(self.configuration, self.settings.target)
        try await parts.submit { $0.publication?.announce(advertisement) }
    }

    /// Ends the device: messages under way have the drain time, then senders are disconnected for this reason.
    public func stop(_ reason: String) {
        self.commandInput.yield(.stop(reason))
    }

    /// Lets an endpoint answer as long as the device runs.
    func run(_ endpoint: SetupEndpoint) async {
        if case .terminated = self.commandInput.yield(.answer(endpoint)) { await endpoint.discard() }
    }

    /// Listens no more; established connections stay until ``stop(_:)``.
    public func giveUpAddresses() async {
        guard let parts = self.parts.withLock({ $0 }) else { return }
        try? await parts.submit { $0.publication?.withdraw() }
        // The listener may be closed already.
        try? await parts.listener.close()
        await parts.http?.stop()
        await parts.https?.stop()
    }

    // MARK: Another configuration

    /// The listening sockets that another configuration has no use for; nil means that the device goes away.
    public func sockets(givenUpFor configuration: VirtualDeviceSettings?) -> [any Channel] {
        guard let parts = self.parts.withLock({ $0 }) else { return [] }
        guard let configuration else { return parts.sockets }
        let before = self.configuration
        var sockets: [any Channel] = []
        if before.listen != configuration.listen { sockets.append(parts.listener) }
        if before.setup.http != configuration.setup.http, let http = parts.http { sockets.append(http.channel) }
        if before.setup.https != configuration.setup.https, let https = parts.https { sockets.append(https.channel) }
        return sockets
    }

    /// Makes what another configuration needs: new addresses are bound, while senders wait there. What runs goes on.
    /// - Parameters:
    ///   - target: makes what stands behind the device then; it must know the target on this device's event loop.
    ///   - environment: what the devices share then.
    ///   - sharedPorts: the ports that a listener of this process gives up at the same time.
    /// - Throws: ``GatewayError`` with `listenFailed` when an address cannot be bound; nothing has changed then.
    public func prepare(
        _ configuration: VirtualDeviceSettings, target: any DeviceTargetFactory,
        environment: VirtualDeviceEnvironment, sharedPorts: Set<Int>
    ) async throws -> VirtualDeviceChange {
        guard let running = self.parts.withLock({ $0 }) else {
            throw GatewayError(.unavailable, "virtual device '\(self.name)' does not run")
        }
        return try await VirtualDeviceChange(
            preparing: configuration, target: target, environment: environment, sharedPorts: sharedPorts, for: self,
            running: running)
    }

    /// Puts settings and parts in force.
    /// - Returns: what made the target that runs.
    func replace(_ values: CurrentSettings.Values, _ parts: VirtualDeviceParts) -> any DeviceTargetFactory {
        let target = self.settings.target
        self.settings.replace(by: values)
        self.parts.withLock { $0 = parts }
        return target
    }
}
