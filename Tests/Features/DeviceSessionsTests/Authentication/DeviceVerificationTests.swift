import CastClient
import CastIdentity
import CastWire
import CastwayTestSupport
import GatewayCore
import Logging
import NIOCore
import Testing

@testable import DeviceSessions

/// Devices that prove themselves, and devices that cannot (protocol notes, 2.4 to 2.8).
@Suite(.timeLimit(.minutes(1))) struct DeviceVerificationTests {
    let identity: ProvingIdentity

    init() throws {
        self.identity = try ProvingIdentity.shared()
    }

    @Test(arguments: [CertificateVerification.warn, .require])
    func aDeviceThatProvesItselfIsUsed(_ policy: CertificateVerification) async throws {
        try await VerificationBench.with(
            policy, anchors: [self.identity.otherRoot, self.identity.root], prove: self.honest
        ) { bench in
            let name = await bench.next { event -> String? in
                if case .deviceVerified("tv", let name, false) = event { name } else { nil }
            }
            #expect(name == self.identity.identity.idHex.uppercased())
            await bench.waitForOnline()
            let record = try #require(bench.directory.authentication(of: "tv"))
            #expect(record.time == ProvingIdentity.now)
            #expect(record.outcome.code == .noError)
            guard case .verified(let device) = record.outcome else {
                Issue.record("\(record)")
                return
            }
            #expect(device.isFresh && device.revocation == .noList)
            let lines = bench.log.entries.filter { $0.message.hasPrefix("Device verified") }
            #expect(lines.map(\.level) == [.info])
        }
    }

    /// The first message on the channel is the challenge, and nothing follows before the reply.
    @Test func nothingIsSaidBeforeTheReply() async throws {
        try await VerificationBench.with(
            .require, anchors: [self.identity.root], prove: self.honest
        ) { bench in
            await bench.waitForOnline()
            let first = try #require(await bench.device.nextMessage())
            #expect(first.source == .platformSender && first.destination == .platformReceiver)
            #expect(first.namespace == .deviceAuth)
            let challenge = try #require(try DeviceAuthMessage(parsing: first.payload.bytes).challenge)
            #expect(challenge.senderNonce?.count == 16)
            #expect(challenge.hashAlgorithm == .sha256)
            #expect(challenge.signatureAlgorithm == .rsassaPKCS1v15)
            #expect(await bench.device.nextMessage()?.namespace == .connection)
        }
    }

    @Test func anUnknownRootIsToldAndTheDeviceUsed() async throws {
        try await VerificationBench.with(
            .warn, anchors: [self.identity.otherRoot], prove: self.honest
        ) { bench in
            let said = await bench.next { event -> GatewayEvent? in
                if case .deviceNotVerified = event { event } else { nil }
            }
            #expect(
                said
                    == .deviceNotVerified(
                        target: "tv", code: .deviceCertificateNotTrusted,
                        reason: "the chain does not end at a trusted root", isRefused: false))
            await bench.waitForOnline()
            #expect(bench.outcome == .failed(.proof(.untrustedRoot)))
            // Once, though the device is dialled again and again.
            try await bench.device.hangUp()
            await bench.waitForOnline()
            let lines = bench.log.entries(atLeast: .info).filter { $0.message.contains("not verified") }
            #expect(lines.map(\.level) == [.warning])
            #expect(lines.first?.metadata["code"] == "device_certificate_not_trusted")
        }
    }

    @Test func aDeviceThatIsRequiredToProveItselfIsTriedAgainAndAgain() async throws {
        try await VerificationBench.with(
            .require, anchors: [self.identity.otherRoot], prove: self.honest
        ) { bench in
            let reason = await bench.next { event -> String? in
                if case .deviceOffline("tv", let reason) = event { reason } else { nil }
            }
            #expect(
                reason
                    == "device authentication failed: the chain does not end at a trusted root "
                    + "(device_certificate_not_trusted)")
            // Channel 2 is the third.
            _ = await bench.device.events.next { if case .closed(2) = $0 { true } else { nil } }
            #expect(!bench.directory.isOnline("tv"))
            #expect(bench.outcome == .failed(.proof(.untrustedRoot)))
            let lines = bench.log.entries(atLeast: .info).filter { $0.message.contains("not verified") }
            #expect(lines.count == 1)
        }
    }

    @Test func aTamperedProofIsRefused() async throws {
        let identity = self.identity
        try await self.expectRefusal(.failed(.proof(.signatureWrong)), .malformedAuthenticationResponse) { challenge in
            var response = identity.response(to: challenge)
            response?.signature[7] ^= 1
            return DeviceAuthMessage(response: response)
        }
        try await self.expectRefusal(.failed(.proof(.signatureWrong)), .malformedAuthenticationResponse) { challenge in
            var response = identity.response(to: challenge)
            response?.senderNonce?[0] ^= 1
            return DeviceAuthMessage(response: response)
        }
    }

    /// A signature that holds over the nonce of another challenge was made before.
    @Test func aRecordedProofIsRefused() async throws {
        let identity = self.identity
        let recorded: @Sendable (AuthChallenge) -> DeviceAuthMessage? = { challenge in
            DeviceAuthMessage(response: identity.response(to: challenge, recorded: Array(1...16)))
        }
        try await self.expectRefusal(
            .failed(.proof(.otherNonce)), .malformedAuthenticationResponse, prove: recorded)
        // Not even one who lets a missing nonce do takes another.
        try await VerificationBench.with(
            .warn, anchors: [identity.root], acceptsMissingNonce: true, prove: recorded
        ) { bench in
            await bench.waitForOnline()
            #expect(bench.outcome == .failed(.proof(.otherNonce)))
            #expect(bench.log.entries.allSatisfy { !$0.message.hasPrefix("Device verified") })
        }
    }

    /// Some devices repeat no nonce; whether that is enough the configuration decides.
    @Test(arguments: [CertificateVerification.warn, .require])
    func aProofWithoutNonceIsVerifiedOnlyWhereThatIsWanted(policy: CertificateVerification) async throws {
        let identity = self.identity
        let old: @Sendable (AuthChallenge) -> DeviceAuthMessage? = { challenge in
            DeviceAuthMessage(response: identity.response(to: challenge, recorded: []))
        }
        try await VerificationBench.with(policy, anchors: [identity.root], prove: old) { bench in
            let said = await bench.next { event -> Bool? in
                if case .deviceNotVerified("tv", .deviceAuthenticationFailure, _, let isRefused) = event {
                    isRefused
                } else {
                    nil
                }
            }
            #expect(said == (policy == .require))
            if policy == .warn { await bench.waitForOnline() }
            #expect(bench.directory.isOnline("tv") == (policy == .warn))
            let outcome = try #require(bench.outcome)
            #expect(!outcome.isVerified && outcome.word == "without_nonce")
            #expect(bench.log.entries.allSatisfy { !$0.message.hasPrefix("Device verified") })
        }
        try await VerificationBench.with(
            policy, anchors: [identity.root], acceptsMissingNonce: true, prove: old
        ) { bench in
            await bench.waitForOnline()
            let outcome = try #require(bench.outcome)
            #expect(outcome.isVerified && outcome.word == "verified_without_nonce")
            let line = bench.log.entries.first { $0.message.hasPrefix("Device verified") }
            #expect(line?.metadata["fresh"] == .stringConvertible(false))
        }
    }

    @Test func anExpiredLeafIsRefused() async throws {
        let later = ProvingIdentity.now + 3 * ProvingIdentity.day
        let end = ProvingIdentity.now + 2 * ProvingIdentity.day
        try await self.expectRefusal(
            .failed(.proof(.leafExpired(notAfter: end))), .sslCertificateNotTrusted, now: later, prove: self.honest)
    }

    /// A screen whose certificates are those of a speaker is one with stolen certificates.
    @Test func aSpeakerDoesNotShowVideo() async throws {
        let identity = self.identity
        let prove: @Sendable (AuthChallenge) -> DeviceAuthMessage? = { challenge in
            var response = identity.response(to: challenge)
            response?.clientAuthCertificate = identity.audioOnlyCertificate
            response?.intermediateCertificates = []
            return DeviceAuthMessage(response: response)
        }
        try await VerificationBench.with(.warn, anchors: [identity.root], showsVideo: true, prove: prove) { bench in
            await bench.waitForOnline()
            #expect(bench.outcome == .failed(.audioOnlyDeviceShowsVideo))
            let line = bench.log.entries(atLeast: .warning).first
            #expect(line?.metadata["code"] == "device_capability_not_supported")
        }
        for showsVideo in [false, nil] {
            try await VerificationBench.with(
                .require, anchors: [identity.root], showsVideo: showsVideo, prove: prove
            ) { bench in
                await bench.waitForOnline()
                guard case .verified(let device) = bench.outcome else {
                    Issue.record("\(String(describing: bench.outcome))")
                    return
                }
                #expect(device.isAudioOnly)
            }
        }
    }

    @Test func aRevokedDeviceIsRefused() async throws {
        let identity = self.identity
        let revoking = try identity.bundle(self.list([try identity.deviceKeyHash()]))
        try await self.expectRefusal(.failed(.proof(.certificateRevoked(depth: 0))), .crlCheckFailed) { challenge in
            DeviceAuthMessage(response: identity.response(to: challenge, crl: revoking))
        }
    }

    /// One that does not hold is told, and is no reason to refuse a device.
    @Test func whatBecameOfTheListIsTold() async throws {
        let identity = self.identity
        let good = try identity.bundle(self.list([]))
        var newer = self.list([])
        newer.version = 1
        let cases: [([UInt8], RevocationCheck)] = [
            ([], .noList), (good, .checked),
            (Array(good.dropLast()), .listInvalid(.unreadable(reason: WireError.truncatedMessage.description))),
            (try identity.bundle(newer), .listInvalid(.versionUnknown)),
            (
                try identity.bundle(CRLContents(notBefore: 0, notAfter: 5)),
                .listInvalid(.expired(notAfter: 5))
            ),
        ]
        for (bundle, expected) in cases {
            try await VerificationBench.with(
                .require, anchors: [identity.root], revocationAnchors: [identity.listRoot]
            ) { challenge in
                DeviceAuthMessage(response: identity.response(to: challenge, crl: bundle))
            } body: { bench in
                await bench.waitForOnline()
                guard case .verified(let device) = bench.outcome else {
                    Issue.record("\(String(describing: bench.outcome))")
                    return
                }
                #expect(device.revocation == expected)
            }
        }
    }

    @Test func refusalsAndNonsenseAreRefused() async throws {
        try await self.expectRefusal(.unavailable(.internalError), .authenticationErrorReceived) { _ in
            DeviceAuthMessage(error: AuthError(.internalError))
        }
        try await self.expectRefusal(.failed(.replyEmpty), .malformedAuthenticationResponse) { _ in
            DeviceAuthMessage()
        }
        try await self.expectRefusal(.failed(.challengedInReturn), .authenticationChallengeReceived) { challenge in
            DeviceAuthMessage(challenge: challenge)
        }
    }

    /// `off`, and `warn` without anything that a proof could lead to.
    @Test func devicesAreNotAskedInVain() async throws {
        let cases: [(CertificateVerification, [String])] = [(.off, [self.identity.root]), (.warn, [])]
        for (policy, anchors) in cases {
            try await VerificationBench.with(policy, anchors: anchors, prove: self.honest) { bench in
                await bench.waitForOnline()
                #expect(bench.outcome == nil)
                #expect(await bench.device.nextMessage()?.namespace == .connection)
            }
        }
    }

    @Test func anchorsThatCannotBeReadAreNamed() async throws {
        let folder = try TemporaryFolder()
        let key = try folder.write("-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n", to: "key.pem")
        let text = try folder.write("hello", to: "text.pem")
        let cases: [(String, String)] = [
            (folder.file("none.pem"), "\(folder.file("none.pem")): there is no such file"),
            (text, "\(text): holds no PEM block (a line that starts with -----BEGIN)"),
            (key, "trust anchors \(key): can not be used: it holds no certificate"),
        ]
        for (path, description) in cases {
            let error = await #expect(throws: IdentityError.self) {
                try await VerificationBench.with(.warn, anchors: [path], prove: self.honest) { _ in }
            }
            #expect(error?.description == description)
        }
    }

    // MARK: What the tests are made of

    private var honest: @Sendable (AuthChallenge) -> DeviceAuthMessage? {
        let identity = self.identity
        return { DeviceAuthMessage(response: identity.response(to: $0)) }
    }

    private func list(_ hashes: [[UInt8]]) -> CRLContents {
        CRLContents(
            notBefore: UInt64(ProvingIdentity.now - 10), notAfter: UInt64(ProvingIdentity.now + 10),
            revokedKeyHashes: hashes)
    }

    private func expectRefusal(
        _ outcome: DeviceAuthenticationOutcome, _ code: CastErrorCode, now: Int64 = ProvingIdentity.now,
        prove: @escaping @Sendable (AuthChallenge) -> DeviceAuthMessage?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await VerificationBench.with(
            .require, anchors: [self.identity.root], revocationAnchors: [self.identity.listRoot], now: now,
            prove: prove
        ) { bench in
            let said = await bench.next { event -> CastErrorCode? in
                if case .deviceNotVerified("tv", let code, _, true) = event { code } else { nil }
            }
            #expect(said == code, sourceLocation: sourceLocation)
            #expect(bench.outcome == outcome, sourceLocation: sourceLocation)
            #expect(!bench.directory.isOnline("tv"), sourceLocation: sourceLocation)
        }
    }
}
