import CastWire
import GatewayCore
import NIOCore
import Testing

@testable import CastIdentity
@testable import DeviceSessions

/// The state machine, without a channel.
@Suite struct AuthenticationStateMachineTests {
    static let start = NIODeadline.uptimeNanoseconds(1_000)
    static let nonce = [UInt8](0..<16)
    static let leaf: [UInt8] = [1, 2, 3]
    static let response = AuthResponse(signature: [4], clientAuthCertificate: [5])

    private func asked() -> AuthenticationStateMachine {
        var state = AuthenticationStateMachine(timeout: .seconds(5))
        let challenge = DeviceAuthMessage(challenge: AuthChallenge(senderNonce: Self.nonce, hashAlgorithm: .sha256))
        #expect(
            state.start(leaf: Self.leaf, nonce: Self.nonce, at: Self.start)
                == .challenge(challenge, until: Self.start + .seconds(5)))
        return state
    }

    @Test func aReplyIsVerifiedAndEndsIt() {
        var state = self.asked()
        let job = DeviceProofJob(response: Self.response, leaf: Self.leaf, nonce: Self.nonce)
        #expect(state.received(DeviceAuthMessage(response: Self.response).payload) == .verify(job))
        // A second reply, and the deadline, change nothing.
        #expect(state.received(DeviceAuthMessage(response: Self.response).payload) == .none)
        #expect(state.timerFired(at: Self.start + .seconds(60)) == .none)
        #expect(state.verified(.unavailable(.noTLS)) == .finish(.unavailable(.noTLS)))
        #expect(state.verified(.unavailable(.noTLS)) == .none)
    }

    @Test func silenceEndsAtTheDeadline() {
        var state = self.asked()
        #expect(state.timerFired(at: Self.start + .milliseconds(4_999)) == .none)
        #expect(state.timerFired(at: Self.start + .seconds(5)) == .finish(.failed(.noReply)))
        #expect(state.received(DeviceAuthMessage(response: Self.response).payload) == .none)
    }

    @Test func withoutACertificateThereIsNothingToProve() {
        var state = AuthenticationStateMachine(timeout: .seconds(5))
        #expect(state.start(leaf: nil, nonce: Self.nonce, at: Self.start) == .finish(.failed(.noCertificate)))
        #expect(state.start(leaf: Self.leaf, nonce: Self.nonce, at: Self.start) == .none)
    }

    @Test func whatIsNoReplyIsAFailure() {
        let cases: [(CastMessage.Payload, DeviceAuthenticationFailure, CastErrorCode)] = [
            (.text("{}"), .replyUnreadable(nil), .authenticationMessageUnreadable),
            (
                .binary(ByteBuffer(bytes: [0x12, 0x05])), .replyUnreadable(.truncatedMessage),
                .authenticationMessageUnreadable
            ),
            (DeviceAuthMessage().payload, .replyEmpty, .malformedAuthenticationResponse),
            (
                DeviceAuthMessage(challenge: AuthChallenge(), response: Self.response).payload, .challengedInReturn,
                .authenticationChallengeReceived
            ),
        ]
        for (payload, failure, code) in cases {
            var state = self.asked()
            #expect(state.received(payload) == .finish(.failed(failure)))
            #expect(failure.code == code)
            #expect(!failure.description.isEmpty)
        }
    }

    @Test(arguments: AuthError.Kind.allCases) func refusalsOfTheDeviceAreNoFailures(_ kind: AuthError.Kind) {
        var state = self.asked()
        let outcome = DeviceAuthenticationOutcome.unavailable(kind)
        #expect(state.received(DeviceAuthMessage(error: AuthError(kind)).payload) == .finish(outcome))
        #expect(outcome.code == .authenticationErrorReceived)
        #expect(!outcome.description.isEmpty)
    }

    /// The numbers are the Cast SDKs' own.
    @Test func everyFailureHasACode() {
        let codes: [(DeviceAuthenticationFailure, Int)] = [
            (.proof(.deviceCertificateUnreadable), 42), (.proof(.intermediateUnreadable(index: 0)), 42),
            (.proof(.keyUsageMissing), 41), (.proof(.commonNameMissing), 41), (.proof(.keyTooWeak(depth: 0)), 41),
            (.proof(.untrustedRoot), 43), (.proof(.missingIntermediate), 43),
            (.proof(.certificateExpired(depth: 1)), 43), (.proof(.certificateNotYetValid(depth: 1)), 43),
            (.proof(.chainInvalid(depth: 0, reason: "")), 43), (.proof(.leafUnreadable), 44),
            (.proof(.leafExpired(notAfter: 0)), 44), (.proof(.leafNotYetValid(notBefore: 0)), 44),
            (.proof(.leafEndsTooLate(notAfter: 0)), 44), (.noCertificate, 44), (.proof(.signatureMissing), 45),
            (.proof(.signatureWrong), 45), (.proof(.tooManyIntermediates(count: 17)), 45), (.replyEmpty, 45),
            (.audioOnlyDeviceShowsVideo, 46), (.proof(.certificateRevoked(depth: 0)), 48), (.replyUnreadable(nil), 100),
            (.challengedInReturn, 101), (.noReply, 102), (.notVerifiable(""), 3),
            (.proof(.cryptographyFailed(reason: "")), 3),
        ]
        for (failure, code) in codes { #expect(failure.code.rawValue == code, "\(failure)") }
    }
}
