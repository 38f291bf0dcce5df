import CastIdentity
import CastTransport
package import DeviceListening
package import GatewayConfig
import GatewayCore
package import HTTPServing
package import HummingbirdCore
package import Logging
package import NIOCore
import NIOPosix
import SystemPrimitives

/// A virtual device whose senders end here: its identity, its certificate, and the ``VirtualDevice`` on its event loop.
///
/// Listeners and set-up answers read ``terms`` for each connection, so they stay right when a reload replaces these.
package final class VirtualDeviceHost: ListeningDevice {
    /// The parts of the device while it runs.
    private struct Parts: Sendable {
        let identity: DeviceIdentity
        let certificate: DeviceCertificate
        /// The device's ids, and the address that it listens on.
        let receiver: Current<ReceiverIdentity>
        let device: NIOLoopBound<VirtualDevice>

        var eventLoop: any EventLoop { self.device.eventLoop }

        /// Does something with the device, where it lives.
        func submit<Value: Sendable>(_ body: @escaping @Sendable (VirtualDevice) throws -> Value) async throws -> Value
        {
            try await self.eventLoop.submit { [device] in try body(device.value) }.get()
        }

        func wait(for body: @escaping @Sendable (VirtualDevice) -> EventLoopFuture<Void>) async throws {
            try await self.eventLoop.flatSubmit { [device] in body(device.value) }.get()
        }
    }

    package let name: String
    package let logger: Logger
    package let refusals: RefusalLog
    private let current: Current<VirtualDeviceTerms>
    private let clock: any Clock<Duration>
    /// Seconds since 1970.
    private let wallClock: @Sendable () -> Int64
    private let made = Current<Parts?>(nil)

    /// Describes a device; a ``ListeningService`` makes it.
    /// - Parameters:
    ///   - clock: paces the checks of the certificate's end.
    ///   - wallClock: seconds since 1970, for certificates.
    package init(
        _ terms: VirtualDeviceTerms, logger: Logger, clock: any Clock<Duration> = ContinuousClock(),
        wallClock: @escaping @Sendable () -> Int64
    ) {
        var logger = logger
        logger[metadataKey: "device"] = "\(terms.configuration.name)"
        self.name = terms.configuration.name
        self.logger = logger
        self.refusals = RefusalLog(device: self.name, events: terms.environment.events, logger: logger)
        self.current = Current(terms)
        self.clock = clock
        self.wallClock = wallClock
    }

    package var terms: any ListeningTerms { self.current.value }

    package var configuration: VirtualDeviceSettings { self.current.value.configuration }

    /// The end of the TLS certificate that new channels are served, in seconds since 1970; nil while it does not run.
    package var certificateEnd: Int64? { self.made.value?.certificate.current.notAfter }

    /// The id that it is announced under; nil before it runs.
    package var deviceID: String? { self.made.value?.identity.idHex }

    private func parts() throws(GatewayError) -> Parts {
        guard let parts = self.made.value else {
            throw GatewayError(.unavailable, "virtual device '\(self.name)' does not run")
        }
        return parts
    }

    // MARK: Making

    /// Makes the identity, the certificate, and the device.
    /// - Throws: ``GatewayError`` with `unknownDevice` when the target does not exist, and what the identity store throws.
    package func makeDevice() async throws {
        let terms = self.current.value
        let environment = terms.environment
        let identity = try environment.identities.loadOrCreate(device: self.name, now: self.wallClock())
        let certificate = try DeviceCertificate(
            DeviceCertificate.Source(identity: identity, logger: self.logger, wallClock: self.wallClock),
            terms: self.current)
        let receiver = ReceiverIdentity(uuid: identity.uuid, address: terms.listen.advertisedHost, startedAt: .now())
        let eventLoop = try terms.target.eventLoop(in: environment.eventLoops)
        let device = try await eventLoop.submit {
            let device = try self.makeDevice(terms, identity, receiver, eventLoop)
            device.start()
            environment.running.add(device)
            return NIOLoopBound(device, eventLoop: eventLoop)
        }.get()
        let parts = Parts(identity: identity, certificate: certificate, receiver: Current(receiver), device: device)
        self.made.set(parts)
    }

    private func makeDevice(
        _ terms: VirtualDeviceTerms, _ identity: DeviceIdentity, _ receiver: ReceiverIdentity,
        _ eventLoop: any EventLoop
    ) throws -> VirtualDevice {
        let (environment, isDiscovered) = (terms.environment, terms.configuration.isDiscovered)
        let facts = terms.facts(receiver)
        return VirtualDevice(
            facts: facts, target: try terms.target.makeTarget(for: facts, on: eventLoop),
            signer: ChallengeSigner(identity: identity, eventLoop: eventLoop), registry: environment.registry,
            settings: environment.routerSettings, payloadText: environment.payloadText, events: environment.events,
            connectionIDs: environment.connectionIDs, limits: environment.limits, rights: environment.rights,
            obstacle: { [current] in current.value.obstacle(for: $0) },
            publication: environment.announcer.map {
                DevicePublication(
                    announcer: $0, isHeld: isDiscovered, followsTarget: !isDiscovered, eventLoop: eventLoop,
                    logger: self.logger)
            }, eventLoop: eventLoop, logger: self.logger)
    }

    package func bind(
        to address: ListenAddress, isAccepting: Bool, isShared: Bool
    ) async throws -> any Channel {
        let parts = try self.parts()
        let (current, refusals, environment) = (self.current, self.refusals, self.current.value.environment)
        let (admission, shortage, eventLoop) = (environment.admission, environment.shortage, parts.eventLoop)
        let listener = CastListener(
            pipeline: Self.pipeline(current.value.environment.limits), eventLoop: eventLoop,
            certificate: { parts.certificate.current },
            admit: { address, evict in
                let now = eventLoop.now
                do {
                    return try admission.admit(
                        address, to: .senders, bytes: PeerCost.sender, obstacle: current.value.obstacle(for: address),
                        at: now, evict: evict)
                } catch {
                    refusals.note(address: address, reason: Admission.reason(of: error), at: now)
                    throw error
                }
            }, acceptsPerSecond: admission.acceptsPerSecond(.senders), accepting: { shortage.note($0) })
        return try await listener.bind(
            host: address.host, port: address.port, isAccepting: isAccepting, sharesAddress: isShared
        ) { parts.device.value.makeSender(from: $0, admission: $1) }
    }

    private static func pipeline(_ limits: SenderLimits) -> CastPipeline {
        CastPipeline(
            role: .receiver,
            heartbeat: .init(
                interval: TimeAmount(limits.heartbeat.interval), timeout: TimeAmount(limits.heartbeat.timeout)),
            handshakeTimeout: TimeAmount(limits.handshakeTimeout), frameTimeout: TimeAmount(limits.frameTimeout))
    }

    package func setupService(
        _ kind: SetupKind
    ) throws -> (rules: HTTPListener.Rules, responder: HTTPChannelHandler.Responder) {
        let (current, parts) = (self.current, try self.parts())
        var rules = HTTPListener.Rules(
            limits: { HTTPLimits(current.value.environment.setupLimits) },
            obstacle: { current.value.obstacle(for: $0) })
        if kind == .https { rules.certificate = { parts.certificate.current } }
        let responder = SetupEndpoint.responder(logger: self.logger) {
            VirtualDeviceDescription(
                configuration: current.value.configuration, identity: parts.receiver.value)
        }
        return (rules, responder)
    }

    // MARK: Running

    /// Renews the certificates.
    package func maintain() async {
        guard let parts = try? self.parts() else { return }
        await parts.certificate.renew(clock: self.clock) { identity in
            // A device that has ended needs none.
            try? await parts.submit { $0.follow(identity) }
        }
    }

    package func announce(at port: Int) async throws {
        let (parts, terms) = (try self.parts(), self.current.value)
        let advertisement = DeviceAdvertisement(
            configuration: terms.configuration, apps: terms.target.apps, identity: parts.identity, port: port)
        try await parts.submit { $0.publication?.announce(advertisement) }
    }

    /// Announces the device while what stands behind it is there, and takes the announcement back otherwise; its listener and
    /// its senders stay. Does nothing while it does not run.
    package func announce(whileTargetIsThere isThere: Bool) {
        guard let parts = try? self.parts() else { return }
        parts.eventLoop.execute { parts.device.value.publication?.hold(!isThere) }
    }

    package func withdraw() async throws {
        try await self.parts().submit { $0.publication?.withdraw() }
    }

    package func drain() async throws {
        let time = TimeAmount(self.current.value.environment.drain)
        try await self.parts().wait { $0.drain(for: time) }
    }

    package func disconnect(_ reason: String, within time: TimeAmount) async throws {
        let (parts, running) = (try self.parts(), self.current.value.environment.running)
        try await parts.submit {
            running.remove($0)
            $0.stop(reason)
        }
        try await parts.wait { $0.waitForSenders(atMost: time) }
    }

    // MARK: Other terms

    /// Makes a certificate of another kind, if one is wanted.
    package func prepare(_ terms: any ListeningTerms) async throws -> @Sendable (_ port: Int) async throws -> Void {
        guard let terms = terms as? VirtualDeviceTerms else {
            // A device that becomes one of another kind is replaced.
            throw GatewayError(.unavailable, "the senders of '\(self.name)' do not end here any more")
        }
        let (parts, before) = (try self.parts(), self.current.value)
        var certificate: TLSServerContext?
        if before.configuration.tlsKey != terms.configuration.tlsKey {
            certificate = try await NIOThreadPool.singleton.runIfActive {
                try parts.certificate.source.make(key: terms.configuration.tlsKey, from: terms.environment.identities)
            }
        }
        var receiver = parts.receiver.value
        if before.listen != terms.listen {
            receiver = ReceiverIdentity(
                uuid: parts.identity.uuid, address: terms.listen.advertisedHost, startedAt: receiver.startedAt)
        }
        return { [current, certificate, receiver] _ in
            let former = current.value.target
            current.set(terms)
            parts.receiver.set(receiver)
            if let certificate { parts.certificate.replace(by: certificate) }
            let facts = terms.facts(receiver)
            try await parts.submit {
                $0.route(by: terms.environment.routerSettings, payloadText: terms.environment.payloadText)
                $0.limit(to: terms.environment.limits)
                $0.closeSendersWithoutRight()
                try $0.reconfigure(facts, target: terms.target, madeBy: former)
            }
        }
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
