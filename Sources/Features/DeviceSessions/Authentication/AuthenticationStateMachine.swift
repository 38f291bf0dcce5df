import CastIdentity
import CastWire
import NIOCore

/// The device authentication of one channel, on the challenging side (protocol notes, 2.4 to 2.6).
///
/// Holds no timer, no channel and no cryptography: its owner reports each event and carries out the returned action.
struct AuthenticationStateMachine {
    enum Action: Equatable {
        case none
        /// Sends this, and calls ``timerFired(at:)`` then.
        case challenge(DeviceAuthMessage, until: NIODeadline)
        /// Verifies the proof outside of the event loop, and calls ``verified(_:)``.
        case verify(DeviceProofJob)
        case finish(DeviceAuthenticationOutcome)
    }

    private enum State {
        case idle
        case waiting(leaf: [UInt8], nonce: [UInt8], until: NIODeadline)
        case verifying
        case finished
    }

    /// The length, in bytes, of the nonce that senders send (protocol notes, 2.5).
    static let nonceLength = 16

    private let timeout: TimeAmount
    private var state = State.idle

    /// - Parameter timeout: how long a device has for its reply.
    init(timeout: TimeAmount) {
        self.timeout = timeout
    }

    /// Asks, on a channel that is new.
    /// - Parameters:
    ///   - leaf: the DER of the certificate that the device showed on this channel.
    ///   - nonce: what the device has to sign with it.
    mutating func start(leaf: [UInt8]?, nonce: [UInt8], at now: NIODeadline) -> Action {
        guard case .idle = self.state else { return .none }
        guard let leaf else { return self.finish(.failed(.noCertificate)) }
        let until = now + self.timeout
        self.state = .waiting(leaf: leaf, nonce: nonce, until: until)
        let challenge = AuthChallenge(senderNonce: nonce, hashAlgorithm: .sha256)
        return .challenge(DeviceAuthMessage(challenge: challenge), until: until)
    }

    /// A message in the namespace of device authentication came in.
    mutating func received(_ payload: CastMessage.Payload) -> Action {
        guard case .waiting(let leaf, let nonce, _) = self.state else { return .none }
        guard case .binary(let bytes) = payload else { return self.finish(.failed(.replyUnreadable(nil))) }
        let reply: DeviceAuthMessage
        do {
            reply = try DeviceAuthMessage(parsing: bytes)
        } catch {
            return self.finish(.failed(.replyUnreadable(error)))
        }
        if reply.challenge != nil { return self.finish(.failed(.challengedInReturn)) }
        if let error = reply.error { return self.finish(.unavailable(error.kind)) }
        guard let response = reply.response else { return self.finish(.failed(.replyEmpty)) }
        self.state = .verifying
        return .verify(DeviceProofJob(response: response, leaf: leaf, nonce: nonce))
    }

    /// The proof has been judged.
    mutating func verified(_ outcome: DeviceAuthenticationOutcome) -> Action {
        guard case .verifying = self.state else { return .none }
        return self.finish(outcome)
    }

    mutating func timerFired(at now: NIODeadline) -> Action {
        guard case .waiting(_, _, let until) = self.state, now >= until else { return .none }
        return self.finish(.failed(.noReply))
    }

    private mutating func finish(_ outcome: DeviceAuthenticationOutcome) -> Action {
        self.state = .finished
        return .finish(outcome)
    }
}
