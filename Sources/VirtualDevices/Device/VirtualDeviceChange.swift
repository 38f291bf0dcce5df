import CastTransport
import GatewayConfig
import GatewayCore
import Logging
public import NIOCore
import Synchronization

/// A running virtual device that is ready for another configuration: either ``commit()`` or ``undo()`` follows.
public struct VirtualDeviceChange: Sendable {
    let service: VirtualDeviceService
    let configuration: VirtualDeviceSettings
    let target: any DeviceTargetFactory
    let environment: VirtualDeviceEnvironment
    let old: VirtualDeviceParts
    let new: VirtualDeviceParts
    /// What new connections get from then on; nil when it stays.
    let certificate: TLSServerContext?

    /// The sockets bound for it.
    public var boundSockets: [any Channel] {
        let before = self.old.sockets.map(ObjectIdentifier.init)
        return self.new.sockets.filter { !before.contains(ObjectIdentifier($0)) }
    }

    /// Puts the configuration in force. Established connections stay; addresses that are not listened on any more are
    /// given up last.
    /// - Throws: only when an event loop has been shut down, or ``GatewayError`` when the target has gone meanwhile.
    public func commit() async throws {
        let oldTarget = self.service.settings.target
        let (configuration, target, environment) = (self.configuration, self.target, self.environment)
        self.service.settings.replace(configuration, target, environment)
        let facts = VirtualDeviceService.facts(configuration, target, self.new.receiver)
        self.service.parts.withLock { $0 = self.new }
        if let certificate { self.new.certificate.certificate = certificate }
        try await self.new.eventLoop.submit { [old] in
            let device = old.device.value
            device.route(by: environment.routerSettings, payloadText: environment.payloadText)
            device.limit(to: environment.limits)
            try device.reconfigure(facts, target: target, madeBy: oldTarget)
        }.get()
        if self.new.listener !== self.old.listener {
            let port = self.new.listener.localAddress?.port ?? configuration.listen.port
            try await self.new.listener.setOption(.autoRead, value: true).get()
            try? await self.old.listener.close()
            self.service.logger.info(
                "Listening elsewhere",
                metadata: ["host": "\(configuration.listen.host)", "port": .stringConvertible(port)])
        }
        let advertisement = self.new.advertisement(configuration, target)
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
