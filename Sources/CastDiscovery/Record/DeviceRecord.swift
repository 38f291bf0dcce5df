/// What a device says of itself in its TXT record (protocol notes, 1.2).
///
/// Reading is lenient, since records of many firmwares are about; writing follows the order and the limits that all
/// senders take.
public struct DeviceRecord: Hashable, Sendable {
    /// `id`: what the device is known by.
    public var id: DeviceID
    /// `fn`: its name for people; the instance name where the device does not tell.
    public var friendlyName: String
    /// `md`: its model; empty where it does not tell.
    public var model: String
    /// `ca`: what it can do.
    public var capabilities: DeviceCapabilities
    /// `ve`: the record's version; devices of today say 5.
    public var version: Int
    /// `st`: whether an app runs.
    public var activity: DeviceActivity
    /// `rs`: a line on what the app does; empty when none runs.
    public var statusText: String
    /// `ic`: the path of its picture, served over HTTP on port 8008; empty where there is none.
    public var iconPath: String
    /// `cd`: an opaque text of the device's; on groups the group's id.
    public var certificateDigest: String
    /// `rm`: a number for statistics; mostly empty.
    public var metricsID: String
    /// `bs`: twelve hexadecimal digits that look like a hardware address.
    public var hotspotID: String
    /// `nf`: a flag for notifications.
    public var notificationFlag: String
    /// The entries under other keys, in their order.
    public var other: [TXTEntry]

    /// Makes a record; what is not given is what an idle device says.
    public init(
        id: DeviceID, friendlyName: String, model: String = "", capabilities: DeviceCapabilities = [],
        version: Int = 5, activity: DeviceActivity = .idle, statusText: String = "", iconPath: String = "",
        certificateDigest: String = "", metricsID: String = "", hotspotID: String = "", notificationFlag: String = "1",
        other: [TXTEntry] = []
    ) {
        self.id = id
        self.friendlyName = friendlyName
        self.model = model
        self.capabilities = capabilities
        self.version = version
        self.activity = activity
        self.statusText = statusText
        self.iconPath = iconPath
        self.certificateDigest = certificateDigest
        self.metricsID = metricsID
        self.hotspotID = hotspotID
        self.notificationFlag = notificationFlag
        self.other = other
    }
}
