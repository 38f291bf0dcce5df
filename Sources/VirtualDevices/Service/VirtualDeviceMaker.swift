import CastIdentity
import CastTransport
import GatewayConfig
import GatewayCore
import HTTPServing
import Logging
import NIOCore

/// Makes the parts of one virtual device: the device on its event loop, its listener, its set-up endpoints.
///
/// What it makes reads the settings for each connection, so it stays right when a reload replaces them.
struct VirtualDeviceMaker: Sendable {
    let name: String
    let settings: CurrentSettings
    let refusals: RefusalLog
    /// The ports that a listener of this process gives up for this device.
    let sharedPorts: Set<Int>
    let logger: Logger
    /// Seconds since 1970.
    let wallClock: @Sendable () -> Int64

    /// Makes all parts; nothing is left behind when one cannot be made.
    func makeParts(isAccepting: Bool) async throws -> VirtualDeviceParts {
        let configuration = self.settings.configuration
        let environment = self.settings.environment
        let identity = try environment.identities.loadOrCreate(device: self.name, now: self.wallClock())
        let certificate = try DeviceCertificate(
            DeviceCertificate.Source(identity: identity, logger: self.logger, wallClock: self.wallClock),
            settings: self.settings)
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
                parts.http = try await self.makeEndpoint(
                    configuration.setup.http, parts, isSecure: false, sharedPorts: self.sharedPorts)
                parts.https = try await self.makeEndpoint(
                    configuration.setup.https, parts, isSecure: true, sharedPorts: self.sharedPorts)
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
            connectionIDs: environment.connectionIDs, limits: environment.limits, rights: environment.rights,
            obstacle: { [settings] in settings.obstacle(for: $0) },
            publication: environment.announcer.map {
                DevicePublication(
                    announcer: $0, isHeld: configuration.isDiscovered, followsTarget: !configuration.isDiscovered,
                    eventLoop: eventLoop, logger: self.logger)
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
        certificate: DeviceCertificate, isAccepting: Bool, isShared: Bool
    ) async throws -> any Channel {
        do {
            return try await self.makeListener(on: eventLoop, certificate: certificate)
                .bind(
                    host: address.host, port: address.port, isAccepting: isAccepting, sharesAddress: isShared
                ) { device.value.makeSender(from: $0, admission: $1) }
        } catch {
            throw GatewayError(
                .listenFailed,
                "virtual device '\(self.name)' cannot listen on \(address): \(TransportError.text(ofListening: error))")
        }
    }

    private func makeListener(on eventLoop: any EventLoop, certificate: DeviceCertificate) -> CastListener {
        let settings = self.settings
        let refusals = self.refusals
        let admission = settings.environment.admission
        let shortage = settings.environment.shortage
        return CastListener(
            pipeline: Self.pipeline(settings.environment.limits),
            eventLoop: eventLoop,
            certificate: { certificate.current },
            admit: { address, evict in
                let now = eventLoop.now
                do {
                    return try admission.admit(
                        address, to: .senders, bytes: PeerCost.sender, obstacle: settings.obstacle(for: address),
                        at: now, evict: evict)
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
        _ address: ListenAddress?, _ parts: VirtualDeviceParts, isSecure: Bool, sharedPorts: Set<Int>
    ) async throws -> SetupEndpoint? {
        guard let address else { return nil }
        let (settings, refusals, receiver) = (self.settings, self.refusals, parts.receiver)
        let shortage = settings.environment.shortage
        let certificate = parts.certificate
        var rules = HTTPListener.Rules(
            limits: { HTTPLimits(settings.environment.setupLimits) },
            obstacle: { settings.obstacle(for: $0) },
            refused: { refusals.note(address: $0, reason: $1, listener: .setup, at: .now()) },
            accepting: { shortage.note($0) })
        if isSecure { rules.certificate = { certificate.current } }
        return try await SetupEndpoint(
            address: address,
            description: {
                VirtualDeviceDescription(
                    configuration: settings.configuration, identity: settings.receiver ?? receiver)
            },
            on: parts.eventLoop, sharesAddress: sharedPorts.contains(address.port),
            admission: settings.environment.admission, rules: rules, logger: self.logger)
    }
}

extension ListenAddress {
    /// The address under which others reach a listener: its own, or for a wildcard the machine's first that is not
    /// loopback; empty when there is none.
    var advertisedHost: String {
        guard ["0.0.0.0", "::", ""].contains(self.host) else { return self.host }
        let addresses = (try? System.enumerateDevices())?.compactMap(\.address) ?? []
        return addresses.compactMap(\.ipAddress).first { $0.contains(".") && !$0.hasPrefix("127.") } ?? ""
    }
}
