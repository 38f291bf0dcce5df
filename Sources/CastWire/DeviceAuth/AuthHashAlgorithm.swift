/// The digest under a device's signature (protocol notes, 2.3).
public enum AuthHashAlgorithm: UInt64, Hashable, Sendable, CaseIterable {
    /// SHA-1, the default when a message names none.
    case sha1 = 0
    /// SHA-256.
    case sha256 = 1
}
