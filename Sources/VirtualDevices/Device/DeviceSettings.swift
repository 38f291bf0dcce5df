import Synchronization

/// What a virtual device goes by now; listeners and set-up endpoints look here for every connection.
final class DeviceSettings: Sendable {
    private let current: Mutex<(configuration: VirtualDeviceConfiguration, environment: VirtualDeviceEnvironment)>

    init(_ configuration: VirtualDeviceConfiguration, _ environment: VirtualDeviceEnvironment) {
        self.current = Mutex((configuration, environment))
    }

    var configuration: VirtualDeviceConfiguration { self.current.withLock { $0.configuration } }
    var environment: VirtualDeviceEnvironment { self.current.withLock { $0.environment } }

    func replace(_ configuration: VirtualDeviceConfiguration, _ environment: VirtualDeviceEnvironment) {
        self.current.withLock { $0 = (configuration, environment) }
    }
}
