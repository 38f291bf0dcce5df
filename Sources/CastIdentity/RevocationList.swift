/// What a revocation list says (PROTOCOL notes 2.8).
public struct RevocationList: Sendable, Equatable {
    /// Certificates of one issuer, by serial number.
    public struct Serials: Sendable, Equatable {
        /// SHA-256 of the issuer's `SubjectPublicKeyInfo`.
        public let issuerKeyHash: [UInt8]
        /// The first serial number that is revoked.
        public let first: UInt64
        /// The last serial number that is revoked.
        public let last: UInt64

        /// Makes a range; one that ends before it begins makes its list invalid.
        public init(issuerKeyHash: [UInt8], first: UInt64, last: UInt64) {
            self.issuerKeyHash = issuerKeyHash
            self.first = first
            self.last = last
        }
    }

    /// The first moment at which the list counts, in seconds since 1970.
    public let notBefore: Int64
    /// The last moment at which the list counts, in seconds since 1970.
    public let notAfter: Int64
    /// SHA-256 of every `SubjectPublicKeyInfo` that is revoked.
    public let keyHashes: Set<[UInt8]>
    /// Certificates that are revoked by issuer and serial number.
    public let serials: [Serials]

    /// Collects what a list says.
    public init(notBefore: Int64, notAfter: Int64, keyHashes: Set<[UInt8]>, serials: [Serials]) {
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.keyHashes = keyHashes
        self.serials = serials
    }

    /// The first certificate of a chain that is revoked, counted from the device; `nil` when none is.
    ///
    /// A serial number of more than 64 bits is in no range, as the lists cannot express it.
    func firstRevoked(in chain: [ChainLink]) -> Int? {
        for (depth, link) in chain.enumerated() {
            if self.keyHashes.contains(link.keyHash) { return depth }
            guard depth + 1 < chain.count, let serial = link.serialNumber else { continue }
            let issuer = chain[depth + 1].keyHash
            if self.serials.contains(where: {
                $0.issuerKeyHash == issuer && $0.first <= serial && serial <= $0.last
            }) {
                return depth
            }
        }
        return nil
    }
}
