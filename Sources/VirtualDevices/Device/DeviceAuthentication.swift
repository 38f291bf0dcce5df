import CastWire
import NIOCore

/// What one channel does about device authentication (protocol notes, 2.3 to 2.5).
///
/// Signing takes a while, so challenges are taken one at a time, and only so many.
struct DeviceAuthentication {
    enum Action {
        /// Not a challenge; silence, as devices do.
        case ignore
        /// This answer can be given at once.
        case answer(DeviceAuthMessage)
        /// This has to be signed first.
        case sign(ChallengeJob)
        /// The sender asks without end.
        case refuseFurther
    }

    /// More challenges than any sender sends on one channel.
    private static let maximumChallenges = 16

    private var challenges = 0
    private var isSigning = false

    mutating func receive(_ message: CastMessage, leaf: [UInt8]?) -> Action {
        guard case .binary(let bytes) = message.payload, let parsed = try? DeviceAuthMessage(parsing: bytes),
            let challenge = parsed.challenge, parsed.response == nil
        else { return .ignore }
        self.challenges += 1
        guard !self.isSigning, self.challenges <= Self.maximumChallenges else { return .refuseFurther }
        guard let leaf else { return .answer(DeviceAuthMessage(error: AuthError(.noTLS))) }
        switch challenge.signatureAlgorithm {
        case .unspecified, .rsassaPKCS1v15: break
        default: return .answer(DeviceAuthMessage(error: AuthError(.signatureAlgorithmUnavailable)))
        }
        self.isSigning = true
        return .sign(ChallengeJob(nonce: challenge.senderNonce, hash: challenge.hashAlgorithm, leaf: leaf))
    }

    mutating func signed() {
        self.isSigning = false
    }
}
