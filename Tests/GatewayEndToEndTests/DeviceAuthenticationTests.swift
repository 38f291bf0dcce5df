import CastIdentity
import CastWire
import GatewayApp
import GatewayFixtures
import GatewaySettings
import SystemPrimitives
import Testing
import VirtualDevices

/// The authentication reply, judged as a sender judges it (protocol notes, 2.5 and 2.6).
@Suite struct DeviceAuthenticationTests {
    @Test(.timeLimit(.minutes(1)), arguments: [AuthHashAlgorithm.sha1, .sha256], TLSKeyKind.allCases)
    func theReplyProvesTheDevice(_ hash: AuthHashAlgorithm, _ key: TLSKeyKind) async throws {
        var configuration = GatewayConfiguration.bench
        configuration.virtualDevices[0].tlsKey = key
        try await RunningGateway.with(configuration) { running in
            let roots = [try running.gateway.rootCertificate().der]
            try await TestSender.connect(to: try #require(running.ports["bench"])) { sender in
                let nonce = (0..<16).map { UInt8($0) }
                let reply = try await Self.challenge(sender, AuthChallenge(senderNonce: nonce, hashAlgorithm: hash))
                let response = try #require(reply.response)
                #expect(response.hashAlgorithm == hash)
                #expect(response.senderNonce == nonce)
                let verifier = try DeviceAuthVerifier(trustedRoots: roots)
                let proof = DeviceAuthProof(
                    signature: response.signature, deviceCertificate: response.clientAuthCertificate,
                    intermediates: response.intermediateCertificates,
                    hash: hash == .sha1 ? .sha1 : .sha256, nonce: response.senderNonce ?? [])
                let now = WallClock.secondsSince1970
                let device = try verifier.verify(proof, leaf: sender.leaf, challengeNonce: nonce, now: now)
                #expect(device.isFresh)

                var forged = proof
                forged.nonce[0] ^= 1
                #expect(throws: DeviceAuthFailure.self) {
                    try verifier.verify(forged, leaf: sender.leaf, challengeNonce: nonce, now: now)
                }
            }
        }
    }

    /// VLC sends a challenge without anything in it and takes any complete reply.
    @Test(.timeLimit(.minutes(1))) func anEmptyChallengeIsAnsweredCompletely() async throws {
        try await RunningGateway.with(.bench) { running in
            try await TestSender.connect(to: try #require(running.ports["bench"])) { sender in
                let response = try #require(try await Self.challenge(sender, AuthChallenge()).response)
                #expect(!response.signature.isEmpty && !response.clientAuthCertificate.isEmpty)
                #expect(response.hashAlgorithm == .sha1)
            }
        }
    }

    /// Chromium gives a connection up when anything precedes the reply.
    @Test(.timeLimit(.minutes(1))) func nothingPrecedesTheReply() async throws {
        try await RunningGateway.with(.bench) { running in
            try await TestSender.connect(to: try #require(running.ports["bench"])) { sender in
                try await sender.send(Self.message(DeviceAuthMessage(challenge: AuthChallenge())))
                #expect(try await sender.receive()?.namespace == .deviceAuth)
            }
        }
    }

    private static func message(_ content: DeviceAuthMessage) -> CastMessage {
        CastMessage(
            source: .platformSender, destination: .platformReceiver, namespace: .deviceAuth, payload: content.payload)
    }

    private static func challenge(_ sender: TestSender, _ challenge: AuthChallenge) async throws -> DeviceAuthMessage {
        try await sender.send(Self.message(DeviceAuthMessage(challenge: challenge)))
        let message = try #require(try await sender.receive())
        #expect(message.source == .platformReceiver && message.destination == .platformSender)
        return try DeviceAuthMessage(parsing: message.payload.bytes)
    }
}
