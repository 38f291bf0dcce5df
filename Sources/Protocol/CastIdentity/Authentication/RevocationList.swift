/// A revocation list, and the signature that makes it one (PROTOCOL notes 2.8).
package struct SignedRevocationList: Sendable, Equatable {
    /// The signed bytes.
    package let signed: [UInt8]
    /// The signer's certificate as DER.
    package let signer: [UInt8]
    /// An RSASSA-PKCS1-v1_5 signature with SHA-256 over ``signed``.
    package let signature: [UInt8]
    /// The contents of ``signed``.
    package let list: RevocationList

    package init(signed: [UInt8], signer: [UInt8], signature: [UInt8], list: RevocationList) {
        self.signed = signed
        self.signer = signer
        self.signature = signature
        self.list = list
    }

    /// The list, when everything about it holds.
    ///
    /// - Parameters:
    ///   - roots: What the signer's certificate has to lead to.
    ///   - now: Seconds since 1970.
    /// - Throws: The first rule that does not hold.
    func verified(by roots: TrustStore, now: Int64) throws(RevocationListFailure) -> RevocationList {
        guard let signer = Certificate(der: self.signer), let none = CertificateStack() else {
            throw .signerUnreadable
        }
        guard let validation = ChainValidation(purpose: .any) else {
            throw .signerUntrusted(.cryptographyFailed(reason: OpenSSLErrors.drain()))
        }
        do {
            _ = try validation.run(device: signer, intermediates: none, roots: roots, now: now)
        } catch {
            throw .signerUntrusted(error)
        }
        guard signer.verifies(signature: self.signature, over: self.signed, hash: .sha256) else {
            throw .signatureWrong
        }
        guard now >= self.list.notBefore else { throw .notYetValid(notBefore: self.list.notBefore) }
        guard now <= self.list.notAfter else { throw .expired(notAfter: self.list.notAfter) }
        guard self.list.serials.allSatisfy({ $0.first <= $0.last }) else { throw .rangeReversed }
        return self.list
    }
}

/// The contents of a revocation list (PROTOCOL notes 2.8).
package struct RevocationList: Sendable, Equatable {
    /// Certificates of one issuer, by serial number.
    package struct Serials: Sendable, Equatable {
        /// SHA-256 of the issuer's `SubjectPublicKeyInfo`.
        package let issuerKeyHash: [UInt8]
        package let first: UInt64
        package let last: UInt64

        /// Makes a range; one that ends before it begins makes its list invalid.
        package init(issuerKeyHash: [UInt8], first: UInt64, last: UInt64) {
            self.issuerKeyHash = issuerKeyHash
            self.first = first
            self.last = last
        }
    }

    /// The first moment at which the list counts, in seconds since 1970.
    package let notBefore: Int64
    /// The last moment at which the list counts, in seconds since 1970.
    package let notAfter: Int64
    /// SHA-256 of every `SubjectPublicKeyInfo` that is revoked.
    package let keyHashes: Set<[UInt8]>
    /// Certificates that are revoked by issuer and serial number.
    package let serials: [Serials]

    package init(notBefore: Int64, notAfter: Int64, keyHashes: Set<[UInt8]>, serials: [Serials]) {
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

/// The reason a revocation list is not looked at.
package enum RevocationListFailure: Error, Equatable, Sendable {
    /// The bundle or the list in it cannot be read.
    case unreadable(reason: String)

    /// The bundle holds no list of a version that Castway knows.
    case versionUnknown

    case signerUnreadable

    /// The signer's certificate does not lead to a root for revocation lists.
    case signerUntrusted(DeviceAuthFailure)

    /// The signature is not one by the signer over the list.
    case signatureWrong

    /// The list does not count yet; `notBefore` in seconds since 1970.
    case notYetValid(notBefore: Int64)

    /// The list counts no more; `notAfter` in seconds since 1970.
    case expired(notAfter: Int64)

    case rangeReversed
}

extension RevocationListFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unreadable(let reason): "it is not readable: \(reason)"
        case .versionUnknown: "it is of an unknown version"
        case .signerUnreadable: "the certificate of its signer is not readable"
        case .signerUntrusted(let failure): "its signer is not trusted: \(failure)"
        case .signatureWrong: "its signature does not match"
        case .notYetValid(let notBefore): "it begins at \(CertificateTime.text(notBefore))"
        case .expired(let notAfter): "it expired at \(CertificateTime.text(notAfter))"
        case .rangeReversed: "one of its ranges ends before it begins"
        }
    }
}
