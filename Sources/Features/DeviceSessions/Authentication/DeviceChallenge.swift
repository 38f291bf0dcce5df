package import CastIdentity
package import CastWire
import NIOCore

/// Asks a device to prove itself, for a sender that is no gateway: the challenge, the judgement and the outcomes are those
/// of the gateway's own connections.
package struct DeviceChallenge: Sendable {
    private let verification: DeviceVerification
    private let verifier: DeviceAuthVerifier

    /// Reads the trust anchors that the configuration names.
    /// - Parameters:
    ///   - configuration: what is asked of devices, and the roots that their proofs have to lead to.
    ///   - wallClock: seconds since 1970.
    /// - Returns: nil when devices are not asked.
    /// - Throws: `IdentityError` when a file of anchors cannot be read or holds no certificate.
    package init?(
        _ configuration: ConnectionsConfiguration, wallClock: @escaping @Sendable () -> Int64
    ) throws(IdentityError) {
        self.verification = try DeviceVerification(configuration, wallClock: wallClock)
        guard let verifier = self.verification.verifier else { return nil }
        self.verifier = verifier
    }

    /// True if a device that does not prove itself is not to be used.
    package var isRequired: Bool { self.verification.policy == .require }

    /// Asks, on a channel on which nothing has been said yet.
    /// - Parameters:
    ///   - leaf: the DER of the certificate that the device showed on the channel.
    ///   - exchange: sends the challenge in ``CastWire/Namespace/deviceAuth`` from platform to platform, and gives the
    ///     reply; nil when none came within the time.
    package func outcome<Failure: Error>(
        leaf: [UInt8]?,
        exchange: (_ challenge: CastMessage.Payload, _ time: Duration) async throws(Failure) -> CastMessage.Payload?
    ) async throws(Failure) -> DeviceAuthenticationOutcome {
        var state = AuthenticationStateMachine(timeout: self.verification.timeout)
        let nonce = (0..<AuthenticationStateMachine.nonceLength).map { _ in UInt8.random(in: .min ... .max) }
        var action = state.start(leaf: leaf, nonce: nonce, at: .now())
        while true {
            switch action {
            case .challenge(let message, let until):
                let time = Duration.nanoseconds(self.verification.timeout.nanoseconds)
                if let reply = try await exchange(message.payload, time) {
                    action = state.received(reply)
                } else {
                    action = state.timerFired(at: until)
                }
            case .verify(let job):
                action = state.verified(
                    job.outcome(
                        by: self.verifier, showsVideo: nil, needsNonce: self.verification.needsNonce,
                        now: self.verification.wallClock()))
            case .finish(let outcome): return outcome
            case .none: return .failed(.notVerifiable("the check ended without an outcome"))
            }
        }
    }
}
