/// One certificate of a chain, as revocation lists name it.
struct ChainLink: Equatable, Sendable {
    /// SHA-256 of its `SubjectPublicKeyInfo`.
    let keyHash: [UInt8]
    /// Its serial number, when that has at most 64 bits.
    let serialNumber: UInt64?
}
