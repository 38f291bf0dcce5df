import CastWire
import DeviceSessions

/// Nobody relays to the devices that a command lists.
struct NoAddressBook: DeviceAddressBook {
    func update(device: String, candidates: [DeviceAddress], isAnnounced: Bool) {}
    func note(showsVideo: Bool?, of device: String) {}
    func ask(for apps: [AppID]) {}
}
