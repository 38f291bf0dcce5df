import CastWire
import NIOCore
import Testing

@testable import VirtualDevices

/// What a channel does about challenges, without signing any.
@Suite struct DeviceAuthenticationTests {
    private var authentication = DeviceAuthentication()

    private func message(_ auth: DeviceAuthMessage) -> CastMessage {
        CastMessage(
            source: "sender-0", destination: .platformReceiver, namespace: .deviceAuth, payload: auth.payload)
    }

    private static let challenge = DeviceAuthMessage(
        challenge: AuthChallenge(
            senderNonce: [1, 2, 3], hashAlgorithm: .sha256, signatureAlgorithm: .rsassaPKCS1v15))

    @Test mutating func aChallengeIsToBeSigned() throws {
        let action = self.authentication.receive(self.message(Self.challenge), leaf: [9])
        guard case .sign(let job, let request) = action else {
            Issue.record("\(action)")
            return
        }
        #expect(job.nonce == [1, 2, 3])
        #expect(job.hash == .sha256)
        #expect(job.leaf == [9])
        #expect(request.source == "sender-0" && request.namespace == .deviceAuth)
    }

    @Test mutating func probabilisticSignaturesAreNotToBeHad() throws {
        let challenge = DeviceAuthMessage(challenge: AuthChallenge(signatureAlgorithm: .rsassaPSS))
        let action = self.authentication.receive(self.message(challenge), leaf: [9])
        guard case .answer(let answer, _) = action else {
            Issue.record("\(action)")
            return
        }
        #expect(answer.error?.kind == .signatureAlgorithmUnavailable)
    }

    @Test mutating func anEndlessNonceIsNotSigned() {
        let challenge = DeviceAuthMessage(challenge: AuthChallenge(senderNonce: Array(repeating: 1, count: 1025)))
        guard case .answer(let answer, _) = self.authentication.receive(self.message(challenge), leaf: [9]) else {
            Issue.record("not answered")
            return
        }
        #expect(answer.error?.kind == .internalError)
    }

    @Test mutating func withoutTLSThereIsNothingToSign() throws {
        guard case .answer(let answer, _) = self.authentication.receive(self.message(Self.challenge), leaf: nil) else {
            Issue.record("not answered")
            return
        }
        #expect(answer.error?.kind == .noTLS)
    }

    @Test mutating func whatIsNoChallengeIsIgnored() {
        let response = DeviceAuthMessage(response: AuthResponse(signature: [1], clientAuthCertificate: [2]))
        let both = DeviceAuthMessage(
            challenge: AuthChallenge(), response: AuthResponse(signature: [1], clientAuthCertificate: [2]))
        var garbage = self.message(response)
        garbage.payload = .binary(.init(bytes: [0xFF, 0xFF, 0xFF]))
        var text = garbage
        text.payload = .text("hello")
        for message in [self.message(response), self.message(both), garbage, text] {
            guard case .ignore = self.authentication.receive(message, leaf: [9]) else {
                Issue.record("\(message) was not ignored")
                continue
            }
        }
    }

    @Test mutating func theSeventeenthChallengeIsRefused() {
        for number in 1...16 {
            guard case .sign = self.authentication.receive(self.message(Self.challenge), leaf: [9]) else {
                Issue.record("challenge \(number) is not signed")
                return
            }
            #expect(self.authentication.signed().isEmpty)
        }
        guard case .refuseFurther = self.authentication.receive(self.message(Self.challenge), leaf: [9]) else {
            Issue.record("the seventeenth is not refused")
            return
        }
    }

    /// Every challenge has its answer, one after the other in the order in which they came.
    @Test mutating func whatComesMeanwhileWaitsItsTurn() throws {
        let unsignable = DeviceAuthMessage(challenge: AuthChallenge(signatureAlgorithm: .rsassaPSS))
        var second = self.message(Self.challenge)
        second.source = "sender-2"
        _ = self.authentication.receive(self.message(Self.challenge), leaf: [9])
        for message in [self.message(unsignable), second, self.message(unsignable)] {
            guard case .ignore = self.authentication.receive(message, leaf: [9]) else {
                Issue.record("two are signed at once, or one overtakes another")
                return
            }
        }
        let then = self.authentication.signed()
        try #require(then.count == 2)
        guard case .answer(let answer, _) = then[0], case .sign(_, let request) = then[1] else {
            Issue.record("\(then)")
            return
        }
        #expect(answer.error?.kind == .signatureAlgorithmUnavailable)
        #expect(request.source == "sender-2")
        let last = self.authentication.signed()
        try #require(last.count == 1)
        guard case .answer = last[0] else {
            Issue.record("\(last)")
            return
        }
        #expect(self.authentication.signed().isEmpty)
    }

    @Test mutating func onlySoManyWait() {
        for _ in 0..<16 { _ = self.authentication.receive(self.message(Self.challenge), leaf: [9]) }
        guard case .refuseFurther = self.authentication.receive(self.message(Self.challenge), leaf: [9]) else {
            Issue.record("the seventeenth is not refused")
            return
        }
    }

    @Test func aFailureIsAnError() {
        struct Failure: Error {}
        let job = ChallengeJob(nonce: nil, hash: .sha1, leaf: [])
        #expect(job.answer(with: .failure(Failure())).error?.kind == .internalError)
    }
}
