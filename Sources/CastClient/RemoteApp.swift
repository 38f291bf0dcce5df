public import CastWire

/// An app that runs on a device and that this sender is connected to.
public struct RemoteApp: Sendable {
    /// The device.
    public let device: RemoteDevice
    /// The app as the device's status listed it.
    public let application: ReceiverApplication
    /// Where messages to the app go.
    public let transportID: EndpointID

    /// Joins what is known of an app that the sender has opened a virtual connection to.
    init(device: RemoteDevice, application: ReceiverApplication, transportID: EndpointID) {
        self.device = device
        self.application = application
        self.transportID = transportID
    }

    /// Sends a message to the app and waits for nothing.
    /// - Throws: ``SenderError/messageTooLong(bytes:)``.
    public func send(_ payload: CastMessage.Payload, in namespace: Namespace) async throws(SenderError) {
        try await self.device.send(payload, in: namespace, to: self.transportID)
    }
}
