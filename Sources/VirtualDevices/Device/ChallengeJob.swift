import CastIdentity
import CastWire

/// One challenge that is being signed.
struct ChallengeJob: Sendable {
    let nonce: [UInt8]?
    let hash: AuthHashAlgorithm
    /// The certificate that this channel serves, in DER.
    let leaf: [UInt8]

    /// The reply: the nonce is echoed, and the revocation list may be empty but is there (protocol notes, 2.5).
    func answer(with result: Result<SignedChallenge, any Error>) -> DeviceAuthMessage {
        switch result {
        case .success(let signed):
            DeviceAuthMessage(
                response: AuthResponse(
                    signature: signed.signature, clientAuthCertificate: signed.identity.deviceCertificate,
                    intermediateCertificates: signed.identity.intermediates, senderNonce: self.nonce,
                    hashAlgorithm: self.hash, signatureAlgorithm: .rsassaPKCS1v15, crl: []))
        case .failure: DeviceAuthMessage(error: AuthError(.internalError))
        }
    }
}
