/// How a device signs its answer to a challenge (protocol notes, 2.3).
public enum AuthSignatureAlgorithm: UInt64, Hashable, Sendable, CaseIterable {
    /// The sender leaves the choice to the device.
    case unspecified = 0
    /// RSASSA-PKCS1-v1_5, the only one in use and the default.
    case rsassaPKCS1v15 = 1
    /// RSASSA-PSS; devices answer it with ``AuthError/Kind/signatureAlgorithmUnavailable``.
    case rsassaPSS = 2
}
