import CastIdentity
import CastWire
import NIOCore
import NIOPosix

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
