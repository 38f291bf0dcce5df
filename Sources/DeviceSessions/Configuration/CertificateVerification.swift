/// `connections.verify_device_certificate`: what a device has to prove before it is used.
public enum CertificateVerification: String, Sendable, CaseIterable {
    /// Nothing; the device is not even asked.
    case off
    /// The device is asked, and used whatever it answers; the log and the device's record say what came of it.
    case warn
    /// A device that cannot prove itself is hung up on, and tried again later.
    case require
}
