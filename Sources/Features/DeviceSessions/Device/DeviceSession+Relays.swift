extension DeviceSession {
    /// Lets a relay use the device.
    func attach(_ relay: DeviceRelay) {
        self.senders.attach(relay)
    }

    func detach(_ relay: DeviceRelay) {
        self.senders.detach(relay)
        self.hangUpIfUnused()
    }
}
