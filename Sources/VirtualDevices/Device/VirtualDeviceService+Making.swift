import CastIdentity
import CastTransport
import GatewayConfig
import GatewayCore
import HTTPServing
import NIOCore
import Synchronization

/// How the parts of a virtual device are made.
extension VirtualDeviceService {
    func makeParts(isAccepting: Bool) async throws -> VirtualDeviceParts {
        let configuration = self.settings.configuration
        let environment = self.settings.environment
        let identity = try environment.identities.loadOrCreate(device: self.name, now: self.wallClock())
        let certificate = CertificateBox(try self.firstCertificate(identity))
        let receiver = ReceiverIdentity(
            uuid: identity.uuid, address: configuration.listen.advertisedHost, startedAt: .now())
        let eventLoop = try self.settings.target.eventLoop(in: environment.eventLoops)
        let device = try await eventLoop.submit {
            let device = try self.makeDevice(identity: identity, receiver: receiver, eventLoop: eventLoop)
            device.start()
            environment.running.add(device)
            return NIOLoopBound(device, eventLoop: eventLoop)
        }.get()
        do {
            let listener = try await self.listen(
                on: configuration.listen, for: device, eventLoop: eventLoop, certificate: certificate,
                isAccepting: isAccepting, isShared: self.sharedPorts.contains(configuration.listen.port))
            var parts = VirtualDeviceParts(
                identity: identity, certificate: certificate, eventLoop: eventLoop, device: device,
                receiver: receiver, listener: listener)
            do {
                parts.http = try await self.makeEndpoint(configuration.setup.http, parts, isSecure: false)
                parts.https = try await self.makeEndpoint(configuration.setup.https, parts, isSecure: true)
                return parts
            } catch {
                try? await listener.close()
                await parts.http?.discard()
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

    private func makeDevice(
        identity: DeviceIdentity, receiver: ReceiverIdentity, eventLoop: any EventLoop
    ) throws -> VirtualDevice {
        let configuration = self.settings.configuration
        let environment = self.settings.environment
        let facts = Self.facts(configuration, self.settings.target, receiver)
        return VirtualDevice(
            facts: facts,
            target: try self.settings.target.makeTarget(for: facts, on: eventLoop),
            signer: ChallengeSigner(identity: identity, eventLoop: eventLoop),
            registry: environment.registry, settings: environment.routerSettings,
            payloadText: environment.payloadText, events: environment.events,
            connectionIDs: environment.connectionIDs, limits: environment.limits,
            publication: environment.announcer.map {
                DevicePublication(name: self.name, announcer: $0, eventLoop: eventLoop, logger: self.logger)
            }, eventLoop: eventLoop, logger: self.logger)
    }

    static func facts(
        _ configuration: VirtualDeviceSettings, _ target: any DeviceTargetFactory, _ receiver: ReceiverIdentity
    ) -> DeviceFacts {
        DeviceFacts(
            name: configuration.name, target: target.deviceName,
            description: VirtualDeviceDescription(configuration: configuration, identity: receiver))
    }

    /// Binds an address for senders.
    /// - Throws: ``GatewayError`` with `listenFailed`.
    func listen(
        on address: ListenAddress, for device: NIOLoopBound<VirtualDevice>, eventLoop: any EventLoop,
        certificate: CertificateBox, isAccepting: Bool, isShared: Bool
    ) async throws -> any Channel {
        do {
            return try await self.makeListener(on: eventLoop, certificate: certificate)
                .bind(
                    host: address.host, port: address.port, isAccepting: isAccepting, sharesAddress: isShared
                ) { device.value.makeSender(from: $0) }
        } catch {
            throw GatewayError(
                .listenFailed,
                "virtual device '\(self.name)' cannot listen on \(address): \(TransportError.text(of: error))")
        }
    }

    private func makeListener(on eventLoop: any EventLoop, certificate: CertificateBox) -> CastListener {
        let settings = self.settings
        let refusals = self.refusals
        let admission = settings.environment.admission
        let shortage = settings.environment.shortage
        return CastListener(
            pipeline: Self.pipeline(settings.environment.limits),
            eventLoop: eventLoop,
            certificate: { certificate.certificate },
            admit: { address, evict in
                let now = eventLoop.now
                do {
                    return try admission.admit(
                        address, to: .senders, isAllowed: settings.configuration.allows(address), at: now, evict: evict)
                } catch {
                    refusals.note(address: address, reason: Admission.reason(of: error), at: now)
                    throw error
                }
            },
            acceptsPerSecond: admission.acceptsPerSecond(.senders),
            accepting: { shortage.note($0) })
    }

    private static func pipeline(_ limits: SenderLimits) -> CastPipeline {
        CastPipeline(
            role: .receiver,
            heartbeat: .init(
                interval: TimeAmount(limits.heartbeat.interval), timeout: TimeAmount(limits.heartbeat.timeout)),
            handshakeTimeout: TimeAmount(limits.handshakeTimeout), frameTimeout: TimeAmount(limits.frameTimeout))
    }

    /// Binds an address for set-up; nil when none is wanted.
    /// - Throws: ``GatewayError`` with `listenFailed`.
    func makeEndpoint(
        _ address: ListenAddress?, _ parts: VirtualDeviceParts, isSecure: Bool, sharedPorts: Set<Int>? = nil
    ) async throws -> SetupEndpoint? {
        guard let address else { return nil }
        let (settings, refusals) = (self.settings, self.refusals)
        let shortage = settings.environment.shortage
        let certificate = parts.certificate
        var rules = HTTPListener.Rules(
            limits: { HTTPLimits(settings.environment.setupLimits) },
            isAllowed: { settings.configuration.allows($0) },
            refused: { refusals.note(address: $0, reason: $1, listener: .setup, at: .now()) },
            accepting: { shortage.note($0) })
        if isSecure { rules.certificate = { certificate.certificate } }
        return try await SetupEndpoint(
            address: address,
            description: { [weak self, receiver = parts.receiver, configuration = self.configuration] in
                VirtualDeviceDescription(
                    configuration: self?.configuration ?? configuration,
                    identity: self?.parts.withLock { $0?.receiver } ?? receiver)
            },
            on: parts.eventLoop, sharesAddress: (sharedPorts ?? self.sharedPorts).contains(address.port),
            admission: settings.environment.admission, rules: rules, logger: self.logger)
    }
}
