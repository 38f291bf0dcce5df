import GatewayCore
import Synchronization

/// What a virtual device goes by now; listeners and set-up endpoints look here for every connection.
final class DeviceSettings: Sendable {
    private struct Settings {
        var configuration: VirtualDeviceSettings
        var target: any DeviceTargetFactory
        var environment: VirtualDeviceEnvironment
    }

    private let current: Mutex<Settings>

    init(
        _ configuration: VirtualDeviceSettings, _ target: any DeviceTargetFactory,
        _ environment: VirtualDeviceEnvironment
    ) {
        self.current = Mutex(Settings(configuration: configuration, target: target, environment: environment))
    }

    /// What makes the device's target.
    var target: any DeviceTargetFactory { self.current.withLock { $0.target } }
    var configuration: VirtualDeviceSettings { self.current.withLock { $0.configuration } }
    var environment: VirtualDeviceEnvironment { self.current.withLock { $0.environment } }

    func replace(
        _ configuration: VirtualDeviceSettings, _ target: any DeviceTargetFactory,
        _ environment: VirtualDeviceEnvironment
    ) {
        self.current.withLock {
            $0 = Settings(configuration: configuration, target: target, environment: environment)
        }
    }
}
