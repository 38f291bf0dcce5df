/// A revocation list, and the signature that makes it one (PROTOCOL notes 2.8).
public struct SignedRevocationList: Sendable, Equatable {
    /// What was signed, byte for byte.
    public let signed: [UInt8]
    /// The certificate of the one who signed, as DER.
    public let signer: [UInt8]
    /// An RSASSA-PKCS1-v1_5 signature with SHA-256 over ``signed``.
    public let signature: [UInt8]
    /// What ``signed`` says.
    public let list: RevocationList

    /// Collects the parts.
    public init(signed: [UInt8], signer: [UInt8], signature: [UInt8], list: RevocationList) {
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
