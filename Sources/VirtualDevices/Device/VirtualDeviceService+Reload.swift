import CastIdentity
import CastTransport
import GatewayConfig
public import GatewayCore
public import NIOCore
import NIOPosix
import Synchronization

/// Another configuration while the device runs.
extension VirtualDeviceService {
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
        guard let old = self.parts.withLock({ $0 }) else {
            throw GatewayError(.unavailable, "virtual device '\(self.name)' does not run")
        }
        let before = self.configuration
        var certificate: TLSServerContext?
        if before.tlsKey != configuration.tlsKey {
            certificate = try await NIOThreadPool.singleton.runIfActive {
                try self.certificate(of: old.identity, key: configuration.tlsKey, from: environment.identities)
            }
        }
        var new = old
        if before.listen != configuration.listen {
            new.receiver = ReceiverIdentity(
                uuid: old.identity.uuid, address: configuration.listen.advertisedHost,
                startedAt: old.receiver.startedAt)
            new.listener = try await self.listen(
                on: configuration.listen, for: old.device, eventLoop: old.eventLoop, certificate: old.certificate,
                isAccepting: false, isShared: sharedPorts.contains(configuration.listen.port))
        }
        do {
            if before.setup.http != configuration.setup.http {
                new.http = try await self.makeEndpoint(
                    configuration.setup.http, new, isSecure: false, sharedPorts: sharedPorts)
                if let endpoint = new.http { await self.run(endpoint) }
            }
            if before.setup.https != configuration.setup.https {
                new.https = try await self.makeEndpoint(
                    configuration.setup.https, new, isSecure: true, sharedPorts: sharedPorts)
                if let endpoint = new.https { await self.run(endpoint) }
            }
        } catch {
            if new.listener !== old.listener { try? await new.listener.close() }
            if new.http !== old.http { await new.http?.stop() }
            throw error
        }
        return VirtualDeviceChange(
            service: self, configuration: configuration, target: target, environment: environment, old: old, new: new,
            certificate: certificate)
    }
}

extension VirtualDeviceService {
    /// The sockets that it listens on.
    public var sockets: [any Channel] { self.parts.withLock { $0 }?.sockets ?? [] }

    /// Listens no more; established connections stay until ``stop(_:)``.
    public func giveUpAddresses() async {
        guard let parts = self.parts.withLock({ $0 }) else { return }
        try? await parts.submit { $0.publication?.withdraw() }
        // Closed twice is closed all the same.
        try? await parts.listener.close()
        await parts.http?.stop()
        await parts.https?.stop()
    }
}
