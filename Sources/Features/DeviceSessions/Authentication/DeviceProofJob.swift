import CastIdentity
import CastWire
import NIOCore

/// A device's proof, with all that it is judged by except the roots.
struct DeviceProofJob: Sendable, Equatable {
    let response: AuthResponse
    /// The DER of the certificate that the device showed on the channel.
    let leaf: [UInt8]
    /// The bytes that the device had to sign in its proof.
    let nonce: [UInt8]

    /// Judges the proof; takes some tenths of a millisecond, or more if the device is malicious.
    /// - Parameters:
    ///   - showsVideo: whether the device announces that it does; nil when it announces nothing.
    ///   - needsNonce: whether a proof that repeats no nonce does not do.
    ///   - now: seconds since 1970.
    func outcome(
        by verifier: DeviceAuthVerifier, showsVideo: Bool?, needsNonce: Bool, now: Int64
    ) -> DeviceAuthenticationOutcome {
        do {
            let device = try verifier.verify(self.proof, leaf: self.leaf, challengeNonce: self.nonce, now: now)
            if device.isAudioOnly, showsVideo == true { return .failed(.audioOnlyDeviceShowsVideo) }
            return device.isFresh || !needsNonce ? .verified(device) : .notFresh(device)
        } catch {
            return .failed(.proof(error))
        }
    }

    private var proof: DeviceAuthProof {
        DeviceAuthProof(
            signature: self.response.signature, deviceCertificate: self.response.clientAuthCertificate,
            intermediates: self.response.intermediateCertificates,
            hash: self.response.hashAlgorithm == .sha1 ? .sha1 : .sha256, nonce: self.response.senderNonce ?? [],
            revocation: RevocationEvidence(bundle: self.response.crl ?? []))
    }
}

extension RevocationEvidence {
    /// The version of revocation lists that there is.
    private static let version: UInt64 = 0

    /// Reads a device's statement about revoked certificates; an empty bundle says nothing.
    init(bundle: [UInt8]) {
        guard !bundle.isEmpty else {
            self = .none
            return
        }
        do {
            let lists = try CRLBundle(parsing: ByteBuffer(bytes: bundle)).lists
            for list in lists {
                let contents = try CRLContents(parsing: ByteBuffer(bytes: list.contents))
                guard contents.version == Self.version else { continue }
                self = .list(SignedRevocationList(list, contents))
                return
            }
            self = .unusable(.versionUnknown)
        } catch {
            self = .unusable(.unreadable(reason: error.description))
        }
    }
}

extension SignedRevocationList {
    fileprivate init(_ list: SignedCRL, _ contents: CRLContents) {
        self.init(
            signed: list.contents, signer: list.signerCertificate, signature: list.signature,
            list: RevocationList(
                notBefore: Int64(clamping: contents.notBefore), notAfter: Int64(clamping: contents.notAfter),
                keyHashes: Set(contents.revokedKeyHashes),
                serials: contents.revokedSerialNumbers.map {
                    RevocationList.Serials(issuerKeyHash: $0.issuerKeyHash, first: $0.first, last: $0.last)
                }))
    }
}
