/// The certificates that tie one device key to a root.
struct DeviceChain: Equatable, Sendable {
    /// The device's certificate as DER.
    let device: [UInt8]

    /// The authority between device and root as DER.
    let intermediate: [UInt8]

    /// SHA-256 of the root's DER in lower-case hexadecimal digits.
    let rootFingerprint: String
}
