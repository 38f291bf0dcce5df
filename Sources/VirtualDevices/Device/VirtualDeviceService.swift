import CastIdentity
import CastTransport
import CastWire
import GatewayConfig
import GatewayCore
public import Logging
import NIOCore
public import ServiceLifecycle

/// Runs one virtual device: its identity, its listener, its set-up endpoints, until graceful shutdown.
public struct VirtualDeviceService: Service, CustomStringConvertible {
    /// How long senders may take to hang up when they are let go.
    private static let farewell = TimeAmount.seconds(1)

    /// The device's part of `gateway.yaml`.
    public let configuration: VirtualDeviceConfiguration
    let environment: VirtualDeviceEnvironment
    let logger: Logger
    let clock: any Clock<Duration>
    let wallClock: @Sendable () -> Int64
    private let onListening: @Sendable (_ endpoints: VirtualDeviceEndpoints) -> Void

    /// Describes a device to run.
    /// - Parameters:
    ///   - clock: paces the look at the certificate's end.
    ///   - wallClock: seconds since 1970, for certificates.
    ///   - onListening: called once, when senders can connect.
    public init(
        configuration: VirtualDeviceConfiguration, environment: VirtualDeviceEnvironment, logger: Logger,
        clock: any Clock<Duration> = ContinuousClock(), wallClock: @escaping @Sendable () -> Int64,
        onListening: @escaping @Sendable (_ endpoints: VirtualDeviceEndpoints) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.environment = environment
        var logger = logger
        logger[metadataKey: "device"] = "\(configuration.name)"
        self.logger = logger
        self.clock = clock
        self.wallClock = wallClock
        self.onListening = onListening
    }

    /// What the service is called in logs.
    public var description: String { "virtual device '\(self.configuration.name)'" }

    /// Serves senders until graceful shutdown.
    /// - Throws: ``GatewayError`` with `listenFailed` when an address cannot be bound, `unknownDevice` when the target
    ///   does not exist, and what the identity store throws.
    public func run() async throws {
        let identities = self.environment.identities
        let identity = try identities.loadOrCreate(device: self.configuration.name, now: self.wallClock())
        let certificate = CertificateBox(try self.firstCertificate(identity))
        let receiver = ReceiverIdentity(
            uuid: identity.uuid, address: self.configuration.listen.advertisedHost, startedAt: .now())
        let eventLoop = try self.chooseEventLoop()
        let device = try await eventLoop.submit {
            let device = try self.makeDevice(identity: identity, receiver: receiver, eventLoop: eventLoop)
            device.start()
            self.environment.running.add(device)
            return NIOLoopBound(device, eventLoop: eventLoop)
        }.get()

        let listener: any Channel
        do {
            listener = try await self.makeListener(on: eventLoop, certificate: certificate)
                .bind(host: self.configuration.listen.host, port: self.configuration.listen.port) {
                    device.value.makeSender(from: $0)
                }
        } catch {
            try await self.stop(device)
            throw GatewayError(
                .listenFailed,
                "virtual device '\(self.configuration.name)' cannot listen on \(self.configuration.listen): \(TransportError.text(of: error))"
            )
        }
        let port = listener.localAddress?.port ?? self.configuration.listen.port
        self.logger.info("Listening", metadata: ["host": "\(self.configuration.listen.host)", "port": "\(port)"])
        let description = VirtualDeviceDescription(configuration: self.configuration, identity: receiver)
        let setup = self.makeSetupEndpoints(description: description, certificate: certificate, on: eventLoop)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for endpoint in [setup.http, setup.https].compactMap(\.self) {
                group.addTask { try await endpoint.run() }
            }
            group.addTask { await self.renewCertificate(certificate, of: identity) }
            group.addTask { await Self.untilShutdown() }
            var failure: (any Error)?
            do {
                let endpoints = VirtualDeviceEndpoints(
                    name: self.configuration.name, friendlyName: self.configuration.friendlyName, castPort: port,
                    setupHTTPPort: try await setup.http?.listening.futureResult.get(),
                    setupHTTPSPort: try await setup.https?.listening.futureResult.get())
                self.onListening(endpoints)
                // Shutdown ends the device, and so does an endpoint that cannot go on.
                try await group.next()
            } catch {
                failure = error
            }
            try await listener.close()
            try await eventLoop.flatSubmit { device.value.drain(for: TimeAmount(self.environment.drain)) }.get()
            try await self.stop(device)
            try await eventLoop.flatSubmit { device.value.farewell(for: Self.farewell) }.get()
            group.cancelAll()
            if let failure { throw failure }
        }
        self.logger.info("Stopped")
    }

    private func stop(_ device: NIOLoopBound<VirtualDevice>) async throws {
        try await device.eventLoop.submit {
            device.value.stop("the gateway stops")
            self.environment.running.remove(device.value)
        }.get()
    }

    private static func untilShutdown() async {
        try? await gracefulShutdown()
    }

    private func chooseEventLoop() throws -> any EventLoop {
        switch self.configuration.target {
        case .local: return self.environment.eventLoops.next()
        case .device(let name):
            guard let eventLoop = self.environment.devices.eventLoop(for: name) else { throw Self.unknownDevice(name) }
            return eventLoop
        }
    }

    private static func unknownDevice(_ name: String) -> GatewayError {
        GatewayError(.unknownDevice, "there is no device '\(name)'")
    }

    private func makeDevice(
        identity: DeviceIdentity, receiver: ReceiverIdentity, eventLoop: any EventLoop
    ) throws -> VirtualDevice {
        let description = VirtualDeviceDescription(configuration: self.configuration, identity: receiver)
        let facts: DeviceFacts
        let target: any DeviceTarget
        switch self.configuration.target {
        case .local:
            facts = DeviceFacts(name: self.configuration.name, target: nil, description: description)
            let platform = ReceiverPlatform(
                configuration: self.configuration, identity: receiver, makeID: SessionID.random)
            target = LocalReceiver(platform: platform, deviceName: self.configuration.name, eventLoop: eventLoop)
        case .device(let name):
            facts = DeviceFacts(name: self.configuration.name, target: name, description: description)
            guard let made = self.environment.devices.makeTarget(for: name, virtualDevice: facts) else {
                throw Self.unknownDevice(name)
            }
            target = made
        }
        return VirtualDevice(
            facts: facts, target: target, signer: ChallengeSigner(identity: identity, eventLoop: eventLoop),
            registry: self.environment.registry, settings: self.environment.routerSettings,
            payloadText: self.environment.payloadText, events: self.environment.events,
            connectionIDs: self.environment.connectionIDs, limits: self.environment.limits, eventLoop: eventLoop,
            logger: self.logger)
    }

    /// A refusal takes some tens of microseconds, so this is a few hundredths of a processor.
    private static let acceptsPerSecond = 1000

    private func makeListener(on eventLoop: any EventLoop, certificate: CertificateBox) -> CastListener {
        let limits = self.environment.limits
        let limiter = self.environment.limiter
        let allowed = self.configuration.allowedSenders
        let shortage = self.environment.shortage
        let refusals = RefusalLog(
            device: self.configuration.name, events: self.environment.events, logger: self.logger)
        return CastListener(
            pipeline: CastPipeline(
                role: .receiver,
                heartbeat: .init(
                    interval: TimeAmount(limits.heartbeatInterval), timeout: TimeAmount(limits.heartbeatTimeout)),
                handshakeTimeout: TimeAmount(limits.handshakeTimeout), frameTimeout: TimeAmount(limits.frameTimeout)),
            eventLoop: eventLoop,
            certificate: { certificate.certificate },
            admit: { address, evict in
                let now = eventLoop.now
                do {
                    guard allowed.isEmpty || allowed.contains(where: { $0.contains(address) }) else {
                        throw SenderNotAllowed()
                    }
                    return try limiter.admit(address, at: now, evict: evict)
                } catch {
                    refusals.note(address: address, reason: Self.reason(of: error), at: now)
                    throw error
                }
            },
            acceptsPerSecond: limits.newPerSecond.map { max(Self.acceptsPerSecond, $0 * 2) },
            accepting: { shortage.note($0) })
    }

    private static func reason(of refusal: any Error) -> String {
        (refusal as? ConnectionLimiter.Refusal)?.rawValue ?? "\(refusal)"
    }

    private func makeSetupEndpoints(
        description: VirtualDeviceDescription, certificate: CertificateBox, on eventLoop: any EventLoop
    ) -> (http: SetupEndpoint?, https: SetupEndpoint?) {
        let shortage = self.environment.shortage
        func make(_ address: ListenAddress, _ certificate: CertificateBox?) -> SetupEndpoint {
            SetupEndpoint(
                address: address, description: description, certificate: certificate,
                listening: eventLoop.makePromise(), logger: self.logger, accepting: { shortage.note($0) })
        }
        let setup = self.configuration.setup
        return (setup.http.map { make($0, nil) }, setup.https.map { make($0, certificate) })
    }
}
