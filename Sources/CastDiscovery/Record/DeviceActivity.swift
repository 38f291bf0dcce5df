/// Whether a device is free: the TXT key `st` (protocol notes, 1.2).
public enum DeviceActivity: String, Hashable, Sendable {
    /// Nothing runs; a sender would launch an app.
    case idle = "0"
    /// An app runs; a sender would join it.
    case busy = "1"
}
