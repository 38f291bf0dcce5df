import CastIdentity
import CastWire
import NIOCore
import NIOPosix

/// The handling of device authentication on one channel (protocol notes, 2.3 to 2.5).
///
/// Signing takes a while, so challenges are signed one at a time; those that come meanwhile wait their turn, and every one
/// is answered, in the order in which they came. A channel may send only so many.
struct DeviceAuthentication {
    enum Action {
        /// Not a challenge; silence, as devices do. Also one that waits for its turn: ``signed()`` brings it.
        case ignore
        /// This answer to this challenge can be given at once.
        case answer(DeviceAuthMessage, to: CastMessage)
        /// This has to be signed first, for this challenge; ``signed()`` is called behind its answer.
        case sign(ChallengeJob, for: CastMessage)
        /// The sender asks without end.
        case refuseFurther
    }

    /// A challenge, with what is to be done about it.
    private struct Waiting {
        let request: CastMessage
        let step: Step
    }

    private enum Step {
        case answer(DeviceAuthMessage)
        case sign(ChallengeJob)
    }

    /// More challenges than any sender sends on one channel.
    private static let maximumChallenges = 16

    /// Senders' nonces have 16 bytes; what waits must not add up.
    private static let maximumNonceLength = 1024

    private var challenges = 0
    private var isSigning = false
    /// The challenges that came while one was signed, oldest first; at most ``maximumChallenges``.
    private var waiting: [Waiting] = []

    mutating func receive(_ message: CastMessage, leaf: [UInt8]?) -> Action {
        guard case .binary(let bytes) = message.payload, let parsed = try? DeviceAuthMessage(parsing: bytes),
            let challenge = parsed.challenge, parsed.response == nil
        else { return .ignore }
        self.challenges += 1
        guard self.challenges <= Self.maximumChallenges else { return .refuseFurther }
        let next = Waiting(request: Self.names(of: message), step: Self.step(for: challenge, leaf: leaf))
        guard !self.isSigning else {
            self.waiting.append(next)
            return .ignore
        }
        return self.begin(next)
    }

    /// The challenge that was being signed has its answer.
    /// - Returns: what to do about those that came meanwhile, in this order; only the last may be one to sign.
    mutating func signed() -> [Action] {
        self.isSigning = false
        var actions: [Action] = []
        while !self.isSigning, !self.waiting.isEmpty { actions.append(self.begin(self.waiting.removeFirst())) }
        return actions
    }

    private mutating func begin(_ next: Waiting) -> Action {
        switch next.step {
        case .answer(let answer): return .answer(answer, to: next.request)
        case .sign(let job):
            self.isSigning = true
            return .sign(job, for: next.request)
        }
    }

    private static func step(for challenge: AuthChallenge, leaf: [UInt8]?) -> Step {
        guard let leaf else { return .answer(DeviceAuthMessage(error: AuthError(.noTLS))) }
        switch challenge.signatureAlgorithm {
        case .unspecified, .rsassaPKCS1v15: break
        default: return .answer(DeviceAuthMessage(error: AuthError(.signatureAlgorithmUnavailable)))
        }
        guard challenge.senderNonce?.count ?? 0 <= Self.maximumNonceLength else {
            return .answer(DeviceAuthMessage(error: AuthError(.internalError)))
        }
        return .sign(ChallengeJob(nonce: challenge.senderNonce, hash: challenge.hashAlgorithm, leaf: leaf))
    }

    /// The message without its payload, which an answer needs no more and which would keep the whole read that it came in.
    private static func names(of message: CastMessage) -> CastMessage {
        CastMessage(
            source: message.source, destination: message.destination, namespace: message.namespace,
            payload: .binary(ByteBuffer()))
    }
}

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

/// A challenge's signature, and whose it is.
struct SignedChallenge: Sendable {
    let signature: [UInt8]
    let identity: DeviceIdentity
}

/// Signs challenges off the event loop: a signature costs a third of a millisecond, a message a few microseconds.
struct ChallengeSigner {
    let identity: DeviceIdentity
    let eventLoop: any EventLoop

    func sign(_ job: ChallengeJob) -> EventLoopFuture<SignedChallenge> {
        NIOThreadPool.singleton.runIfActive(eventLoop: self.eventLoop) { [identity = self.identity] in
            let hash: HashAlgorithm = job.hash == .sha1 ? .sha1 : .sha256
            let signature = try identity.sign(nonce: job.nonce ?? [], leaf: job.leaf, hash: hash)
            return SignedChallenge(signature: signature, identity: identity)
        }
    }
}
