import CCrypto

/// Judges a device's answer to an authentication challenge, as senders do (PROTOCOL notes 2.6), and more strictly in one
/// point: a nonce that is not the challenge's is a failure, while senders in the field only note it (PROTOCOL notes 2.5).
///
/// Revocation lists are optional: one that is missing or does not hold is no failure, and is told in the result
/// (PROTOCOL notes 2.8). Safe to share: the roots never change.
package struct DeviceAuthVerifier: Sendable {
    /// The furthest end of an acceptable TLS certificate, in seconds from now: four days.
    package static let maximumLeafLifetime: Int64 = 4 * 86_400

    package static let maximumIntermediates = 16

    private let roots: TrustStore
    private let revocationRoots: TrustStore

    /// Takes the roots to trust.
    ///
    /// - Parameters:
    ///   - trustedRoots: Certificates as DER.
    ///   - revocationRoots: What the signers of revocation lists have to lead to, as DER; `nil` stands for
    ///     `trustedRoots`.
    /// - Throws: ``IdentityError/trustedRootUnreadable(index:)``, or
    ///   ``IdentityError/cryptographyFailed(action:reason:)``.
    package init(trustedRoots: [[UInt8]], revocationRoots: [[UInt8]]? = nil) throws(IdentityError) {
        self.roots = try TrustStore(roots: trustedRoots)
        self.revocationRoots =
            try revocationRoots.map { roots throws(IdentityError) in
                try TrustStore(roots: roots)
            } ?? self.roots
    }

    /// Verifies a proof; takes well below a millisecond.
    ///
    /// - Parameters:
    ///   - proof: The fields of the device's response. A response with an error, or none, needs no verifier.
    ///   - leaf: The DER of the TLS certificate that the device showed on this connection.
    ///   - now: Seconds since 1970.
    /// - Returns: What the certificates say about the device.
    /// - Throws: The first rule that does not hold.
    package func verify(
        _ proof: DeviceAuthProof, leaf: [UInt8], challengeNonce: [UInt8], now: Int64
    ) throws(DeviceAuthFailure) -> VerifiedDevice {
        try self.checkLeaf(leaf, now: now)

        guard let device = Certificate(der: proof.deviceCertificate) else { throw .deviceCertificateUnreadable }
        let intermediates = try self.stack(proof.intermediates)
        guard let validation = ChainValidation(purpose: .clientAuthentication) else {
            throw .cryptographyFailed(reason: OpenSSLErrors.drain())
        }
        let outcome = try validation.run(device: device, intermediates: intermediates, roots: self.roots, now: now)
        guard device.declares(keyUsage: KU_DIGITAL_SIGNATURE) else { throw .keyUsageMissing }
        guard let commonName = device.commonName, !commonName.isEmpty else { throw .commonNameMissing }

        let revocation = try self.checkRevocation(proof.revocation, of: outcome.links, now: now)

        guard !proof.signature.isEmpty else { throw .signatureMissing }
        guard device.verifies(signature: proof.signature, over: proof.nonce + leaf, hash: proof.hash) else {
            throw .signatureWrong
        }
        // Judged last: a signature that holds over another nonce was made for another challenge.
        let isFresh = proof.nonce == challengeNonce
        guard isFresh || proof.nonce.isEmpty else { throw .otherNonce }
        return VerifiedDevice(
            commonName: commonName, isAudioOnly: outcome.isAudioOnly, isFresh: isFresh,
            revocation: revocation, rootFingerprint: outcome.rootFingerprint)
    }

    private func checkLeaf(_ leaf: [UInt8], now: Int64) throws(DeviceAuthFailure) {
        guard let parsed = Certificate(der: leaf), let validity = parsed.validity else { throw .leafUnreadable }
        guard now >= validity.notBefore else { throw .leafNotYetValid(notBefore: validity.notBefore) }
        guard now <= validity.notAfter else { throw .leafExpired(notAfter: validity.notAfter) }
        guard validity.notAfter - now <= Self.maximumLeafLifetime else {
            throw .leafEndsTooLate(notAfter: validity.notAfter)
        }
    }

    private func checkRevocation(
        _ evidence: RevocationEvidence, of chain: [ChainLink], now: Int64
    ) throws(DeviceAuthFailure) -> RevocationCheck {
        let signed: SignedRevocationList
        switch evidence {
        case .none: return .noList
        case .unusable(let failure): return .listInvalid(failure)
        case .list(let list): signed = list
        }
        let list: RevocationList
        do {
            list = try signed.verified(by: self.revocationRoots, now: now)
        } catch {
            return .listInvalid(error)
        }
        if let depth = list.firstRevoked(in: chain) { throw .certificateRevoked(depth: depth) }
        return .checked
    }

    private func stack(_ certificates: [[UInt8]]) throws(DeviceAuthFailure) -> CertificateStack {
        guard certificates.count <= Self.maximumIntermediates else {
            throw .tooManyIntermediates(count: certificates.count)
        }
        guard let stack = CertificateStack() else { throw .cryptographyFailed(reason: OpenSSLErrors.drain()) }
        for (index, der) in certificates.enumerated() {
            guard let certificate = Certificate(der: der) else { throw .intermediateUnreadable(index: index) }
            guard stack.append(certificate) else { throw .cryptographyFailed(reason: OpenSSLErrors.drain()) }
        }
        return stack
    }
}

/// A device whose proof holds.
package struct VerifiedDevice: Sendable, Equatable {
    /// The common name of the device certificate.
    package let commonName: String

    /// True if a policy in the chain limits the device to audio (PROTOCOL notes 2.6).
    package let isAudioOnly: Bool

    /// True if the proof is over the nonce of this very challenge. One without a nonce, as some devices give, may have been
    /// made before: it proves that the certificates and the TLS certificate belong together, and not that the device is
    /// there. One with another nonce is no proof (``DeviceAuthFailure/otherNonce``).
    package let isFresh: Bool

    /// The judgement on the revocation list that the device may bring.
    package let revocation: RevocationCheck

    /// SHA-256 of the trusted root's DER in lower-case hexadecimal digits.
    package let rootFingerprint: String
}

/// The judgement on the revocation list in a device's proof; certificates that it revokes are a ``DeviceAuthFailure``.
package enum RevocationCheck: Sendable, Equatable {
    case noList
    /// The device brought one that does not hold, so it was not looked at.
    case listInvalid(RevocationListFailure)
    case checked
}

extension RevocationCheck: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noList: "no list"
        case .listInvalid(let failure): "list invalid: \(failure)"
        case .checked: "checked"
        }
    }
}
