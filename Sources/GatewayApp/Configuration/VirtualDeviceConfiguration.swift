public import BuiltInReceiver
public import CastIdentity
public import GatewayConfig
public import VirtualDevices

/// `virtual_devices[]`: one device that senders see, and what stands behind it.
///
/// The keys belong to two modules that do not know each other; ``device`` and ``receiver`` are what each of them takes.
/// Their properties can be named directly: `configuration.friendlyName`, `configuration.apps`.
@dynamicMemberLookup
public struct VirtualDeviceConfiguration: Sendable, Equatable {
    /// What stands behind a virtual device.
    public enum Target: Sendable, Equatable {
        /// The built-in receiver platform.
        case local
        /// A real device, by the name that discovery gives it.
        case device(String)
    }

    /// How senders see the device, and where they reach it.
    public var device: VirtualDeviceSettings
    /// What stands behind the device.
    public var target: Target
    /// The apps, and how the built-in receiver runs them; of a real device only which apps senders may use.
    public var receiver: ReceiverConfiguration

    /// Makes a configuration from its parts; each but name, listen and target has the default of `gateway.yaml`.
    public init(
        name: String,
        friendlyName: String? = nil,
        model: String = "Chromecast",
        listen: ListenAddress,
        publish: Bool = true,
        target: Target,
        allowedSenders: [AddressRange] = [],
        apps: [VirtualAppConfiguration]? = nil,
        idleTimeout: Duration = .seconds(300),
        backdrop: Bool = false,
        volume: VolumeConfiguration = VolumeConfiguration(),
        setup: SetupConfiguration = SetupConfiguration(),
        capabilities: Int = 4101,
        tlsKey: TLSKeyKind = .p256
    ) {
        self.device = VirtualDeviceSettings(
            name: name, friendlyName: friendlyName, model: model, listen: listen, publish: publish,
            allowedSenders: allowedSenders, setup: setup, capabilities: capabilities, tlsKey: tlsKey)
        self.target = target
        self.receiver = ReceiverConfiguration(
            apps: apps, idleTimeout: idleTimeout, backdrop: backdrop, volume: volume)
    }

    /// A property of ``device``.
    public subscript<Value>(dynamicMember path: WritableKeyPath<VirtualDeviceSettings, Value>) -> Value {
        get { self.device[keyPath: path] }
        set { self.device[keyPath: path] = newValue }
    }

    /// A property of ``receiver``.
    public subscript<Value>(dynamicMember path: WritableKeyPath<ReceiverConfiguration, Value>) -> Value {
        get { self.receiver[keyPath: path] }
        set { self.receiver[keyPath: path] = newValue }
    }

    /// The apps of the built-in receiver: those configured, or the default media receiver with the simulated player.
    public var localApps: [VirtualAppConfiguration] { self.receiver.localApps }
}
