import CastIdentity
import CastTransport
import GatewayConfig
import GatewayCore
import NIOCore

/// What a virtual device is made of while it runs.
struct VirtualDeviceParts: Sendable {
    let identity: DeviceIdentity
    let certificate: CertificateBox
    let eventLoop: any EventLoop
    let device: NIOLoopBound<VirtualDevice>
    /// Who the device is; its address follows the one that it listens on.
    var receiver: ReceiverIdentity
    var listener: any Channel
    var http: SetupEndpoint?
    var https: SetupEndpoint?

    /// Does something with the device, where it lives.
    func submit<Value: Sendable>(_ body: @escaping @Sendable (VirtualDevice) -> Value) async throws -> Value {
        try await self.eventLoop.submit { body(self.device.value) }.get()
    }

    func endpoints(_ configuration: VirtualDeviceSettings) -> VirtualDeviceEndpoints {
        VirtualDeviceEndpoints(
            name: configuration.name, friendlyName: configuration.friendlyName,
            castPort: self.listener.localAddress?.port ?? configuration.listen.port, setupHTTPPort: self.http?.port,
            setupHTTPSPort: self.https?.port)
    }

    /// How it is announced.
    func advertisement(
        _ configuration: VirtualDeviceSettings, _ target: any DeviceTargetFactory
    ) -> DeviceAdvertisement {
        DeviceAdvertisement(
            configuration: configuration, apps: target.apps, identity: self.identity,
            port: self.listener.localAddress?.port ?? configuration.listen.port)
    }

    /// Every socket that the device listens on.
    var sockets: [any Channel] { [self.listener] + [self.http, self.https].compactMap { $0?.channel } }
}
