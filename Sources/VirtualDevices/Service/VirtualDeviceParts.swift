import CastIdentity
import CastTransport
import GatewayConfig
import GatewayCore
import NIOCore
import Synchronization

/// What a virtual device is made of while it runs.
struct VirtualDeviceParts: Sendable {
    let identity: DeviceIdentity
    let certificate: DeviceCertificate
    let eventLoop: any EventLoop
    let device: NIOLoopBound<VirtualDevice>
    /// The device's ids, and the address that it listens on.
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

/// Where a virtual device that runs can be reached.
public struct VirtualDeviceEndpoints: Sendable, Hashable {
    /// The name in `gateway.yaml`.
    public let name: String
    /// The name that people see.
    public let friendlyName: String
    /// The port for senders.
    public let castPort: Int
    /// The port of the set-up endpoint over HTTP; nil when it is off.
    public let setupHTTPPort: Int?
    /// The port of the set-up endpoint over HTTPS; nil when it is off.
    public let setupHTTPSPort: Int?

    /// Says where one is reached.
    public init(name: String, friendlyName: String, castPort: Int, setupHTTPPort: Int?, setupHTTPSPort: Int?) {
        self.name = name
        self.friendlyName = friendlyName
        self.castPort = castPort
        self.setupHTTPPort = setupHTTPPort
        self.setupHTTPSPort = setupHTTPSPort
    }
}

/// The settings in force of one virtual device; listeners and set-up endpoints read them for every connection.
final class CurrentSettings: Sendable {
    struct Values {
        let configuration: VirtualDeviceSettings
        /// What makes the device's target.
        let target: any DeviceTargetFactory
        let environment: VirtualDeviceEnvironment
        /// The device's ids and its address; nil until it is made.
        let receiver: ReceiverIdentity?
    }

    private let values: Mutex<Values>

    init(_ values: Values) {
        self.values = Mutex(values)
    }

    var configuration: VirtualDeviceSettings { self.values.withLock { $0.configuration } }
    var target: any DeviceTargetFactory { self.values.withLock { $0.target } }
    var environment: VirtualDeviceEnvironment { self.values.withLock { $0.environment } }
    var receiver: ReceiverIdentity? { self.values.withLock { $0.receiver } }

    /// Why an address may not connect now; nil when it may.
    func obstacle(for address: String) -> String? {
        let (configuration, rights) = self.values.withLock { ($0.configuration, $0.environment.rights) }
        return configuration.obstacle(for: address, rights)
    }

    func replace(by values: Values) {
        self.values.withLock { $0 = values }
    }
}
