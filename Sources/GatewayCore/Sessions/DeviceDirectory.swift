public import NIOCore

/// Where virtual devices find the real ones that they stand for. Implemented by the south, handed over by the app.
public protocol DeviceDirectory: Sendable {
    /// The event loop on which the device's channel lives; its virtual devices live there too.
    /// - Returns: nil when there is no such device.
    func eventLoop(for device: String) -> (any EventLoop)?

    /// A target that relays to the device. Called on the device's event loop.
    /// - Returns: nil when there is no such device.
    func makeTarget(for device: String, virtualDevice: DeviceFacts) -> (any DeviceTarget)?
}
