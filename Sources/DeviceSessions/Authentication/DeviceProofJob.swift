import CastIdentity
import CastWire
import NIOCore

/// A device's proof, with all that it is judged by except the roots.
struct DeviceProofJob: Sendable, Equatable {
    let response: AuthResponse
    /// The DER of the certificate that the device showed on the channel.
    let leaf: [UInt8]
    /// What was to be signed with it.
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
