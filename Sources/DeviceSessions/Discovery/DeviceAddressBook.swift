/// Whoever wants to know where devices are: implemented by ``DeviceSessionDirectory``, told by discovery.
public protocol DeviceAddressBook: Sendable {
    /// Takes where a device may be reached now; from any thread, and without waiting.
    /// - Parameters:
    ///   - device: the name under which the directory knows the device.
    ///   - candidates: its addresses, best first; none when it is not known where it is.
    ///   - isAnnounced: whether the device has just made itself heard, so that dialling it is worth while now.
    func update(device: String, candidates: [DeviceAddress], isAnnounced: Bool)
}
