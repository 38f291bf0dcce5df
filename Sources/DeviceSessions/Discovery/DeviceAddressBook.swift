public import CastWire

/// Whoever wants to know of devices: implemented by ``DeviceSessionDirectory``, told by discovery, from any thread and
/// without waiting.
public protocol DeviceAddressBook: Sendable {
    /// Takes where a device may be reached now.
    /// - Parameters:
    ///   - device: the name under which the directory knows the device.
    ///   - candidates: its addresses, best first; none when it is not known where it is.
    ///   - isAnnounced: whether the device has just made itself heard, so that dialling it is worth while now.
    func update(device: String, candidates: [DeviceAddress], isAnnounced: Bool)

    /// Takes whether a device announces that it shows video, which its certificates may contradict; nil when it announces
    /// nothing.
    func note(showsVideo: Bool?, of device: String)

    /// Takes which apps each device is to be asked for when its channel stands; none for no question.
    func ask(for apps: [AppID])
}
