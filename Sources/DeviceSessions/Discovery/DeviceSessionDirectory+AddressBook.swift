// What discovery tells.
extension DeviceSessionDirectory: DeviceAddressBook {
    /// Takes where a device may be reached now.
    public func update(device: String, candidates: [DeviceAddress], isAnnounced: Bool) {}
}
