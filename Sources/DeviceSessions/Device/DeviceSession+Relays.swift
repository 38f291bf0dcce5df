/// The virtual devices that relay to a device.
extension DeviceSession {
    /// Lets a relay use the device.
    func attach(_ relay: DeviceRelay) {
        self.senders.attach(relay)
    }

    /// A relay needs the device no more.
    func detach(_ relay: DeviceRelay) {
        self.senders.detach(relay)
        self.hangUpIfUnused()
    }
}
