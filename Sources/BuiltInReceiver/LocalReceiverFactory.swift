public import CastWire
public import GatewayCore
public import NIOCore

/// Makes the built-in receiver of a virtual device.
public struct LocalReceiverFactory: DeviceTargetFactory {
    private let configuration: ReceiverConfiguration

    /// Makes a factory.
    public init(_ configuration: ReceiverConfiguration) {
        self.configuration = configuration
    }

    /// None: no real device stands behind it.
    public var deviceName: String? { nil }

    /// The ids of its apps.
    public var apps: [AppID] { self.configuration.localApps.map { AppID(rawValue: $0.id) } }

    /// Any event loop.
    public func eventLoop(in group: any EventLoopGroup) -> any EventLoop { group.next() }

    /// A receiver that is switched on.
    public func makeTarget(for device: DeviceFacts, on eventLoop: any EventLoop) -> any DeviceTarget {
        LocalReceiver(configuration: self.configuration, device: device, eventLoop: eventLoop)
    }

    /// Gives a receiver that runs this configuration; the app that runs goes on.
    public func reconfigure(
        _ target: any DeviceTarget, madeBy old: any DeviceTargetFactory, for device: DeviceFacts
    ) -> Bool {
        guard let receiver = target as? LocalReceiver else { return false }
        receiver.reconfigure(self.configuration, device: device)
        return true
    }
}
