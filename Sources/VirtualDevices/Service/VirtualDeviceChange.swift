import CastIdentity
import CastTransport
import GatewayConfig
import GatewayCore
import Logging
public import NIOCore
import NIOPosix

/// A running virtual device that is ready for another configuration: either ``commit()`` or ``undo()`` follows.
///
/// Preparing binds the new addresses, where senders wait, and makes a certificate of another kind if one is wanted; the
/// device goes on as it was. Committing swaps settings, parts and target, in this order, and closes the old addresses last.
public struct VirtualDeviceChange: Sendable {
    private let service: VirtualDeviceService
    private let values: CurrentSettings.Values
    private let old: VirtualDeviceParts
    private let new: VirtualDeviceParts
    /// What new connections get from then on; nil when it stays.
    private let certificate: TLSServerContext?

    /// Makes what another configuration needs.
    /// - Throws: ``GatewayError`` with `listenFailed` when an address cannot be bound; nothing has changed then.
    init(
        preparing configuration: VirtualDeviceSettings, target: any DeviceTargetFactory,
        environment: VirtualDeviceEnvironment, sharedPorts: Set<Int>, for service: VirtualDeviceService,
        running old: VirtualDeviceParts
    ) async throws {
        let (before, maker) = (service.configuration, service.maker)
        var certificate: TLSServerContext?
        if before.tlsKey != configuration.tlsKey {
            certificate = try await NIOThreadPool.singleton.runIfActive {
                try old.certificate.source.make(key: configuration.tlsKey, from: environment.identities)
            }
        }
        var new = old
        if before.listen != configuration.listen {
            new.receiver = ReceiverIdentity(
                uuid: old.identity.uuid, address: configuration.listen.advertisedHost,
                startedAt: old.receiver.startedAt)
            new.listener = try await maker.listen(
                on: configuration.listen, for: old.device, eventLoop: old.eventLoop, certificate: old.certificate,
                isAccepting: false, isShared: sharedPorts.contains(configuration.listen.port))
        }
        do {
            if before.setup.http != configuration.setup.http {
                new.http = try await maker.makeEndpoint(
                    configuration.setup.http, new, isSecure: false, sharedPorts: sharedPorts)
                if let endpoint = new.http { await service.run(endpoint) }
            }
            if before.setup.https != configuration.setup.https {
                new.https = try await maker.makeEndpoint(
                    configuration.setup.https, new, isSecure: true, sharedPorts: sharedPorts)
                if let endpoint = new.https { await service.run(endpoint) }
            }
        } catch {
            if new.listener !== old.listener { try? await new.listener.close() }
            if new.http !== old.http { await new.http?.stop() }
            throw error
        }
        self.service = service
        self.values = CurrentSettings.Values(
            configuration: configuration, target: target, environment: environment, receiver: new.receiver)
        self.old = old
        self.new = new
        self.certificate = certificate
    }

    /// The sockets bound for it.
    public var boundSockets: [any Channel] {
        let before = self.old.sockets.map(ObjectIdentifier.init)
        return self.new.sockets.filter { !before.contains(ObjectIdentifier($0)) }
    }

    /// Puts the configuration in force. Established connections stay, unless their senders may not connect any more; addresses that
    /// are not listened on any more are given up last.
    /// - Throws: only when an event loop has been shut down, or ``GatewayError`` when the target has gone
    ///   meanwhile or the device has stopped.
    public func commit() async throws {
        let (values, configuration) = (self.values, self.values.configuration)
        let oldTarget = self.service.replace(values, self.new)
        if let certificate { self.new.certificate.replace(by: certificate) }
        let facts = VirtualDeviceMaker.facts(configuration, values.target, self.new.receiver)
        try await self.new.eventLoop.submit { [old] in
            let (device, environment) = (old.device.value, values.environment)
            device.route(by: environment.routerSettings, payloadText: environment.payloadText)
            device.limit(to: environment.limits)
            device.closeSendersWithoutRight()
            try device.reconfigure(facts, target: values.target, madeBy: oldTarget)
        }.get()
        if self.new.listener !== self.old.listener {
            let port = self.new.listener.localAddress?.port ?? configuration.listen.port
            try await self.new.listener.setOption(.autoRead, value: true).get()
            try? await self.old.listener.close()
            self.service.logger.info(
                "Listening elsewhere",
                metadata: ["host": "\(configuration.listen.host)", "port": .stringConvertible(port)])
        }
        let advertisement = self.new.advertisement(configuration, values.target)
        try await self.new.submit { $0.publication?.announce(advertisement) }
        if self.new.http !== self.old.http { await self.old.http?.stop() }
        if self.new.https !== self.old.https { await self.old.https?.stop() }
    }

    /// Gives up what was prepared; the device goes on as it was.
    public func undo() async {
        if self.new.listener !== self.old.listener { try? await self.new.listener.close() }
        if self.new.http !== self.old.http { await self.new.http?.stop() }
        if self.new.https !== self.old.https { await self.new.https?.stop() }
    }
}
