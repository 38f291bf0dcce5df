import CCrypto
import Testing

@testable import CastIdentity

@Suite struct DeviceAuthVerifierTests {
    let fixture: Fixture
    let verifier: DeviceAuthVerifier

    init() throws {
        self.fixture = try Fixture.shared()
        self.verifier = try DeviceAuthVerifier(trustedRoots: [self.fixture.authority.certificate])
    }

    @Test(arguments: HashAlgorithm.allCases, [Fixture.nonce, []])
    func goodProofHolds(hash: HashAlgorithm, nonce: [UInt8]) throws {
        let device = try self.verify(try self.fixture.proof(nonce: nonce, hash: hash), challengeNonce: nonce)
        #expect(
            device
                == VerifiedDevice(
                    commonName: self.fixture.identity.idHex.uppercased(), isAudioOnly: false, isFresh: true,
                    revocation: .noList, rootFingerprint: self.fixture.authority.fingerprint))
    }

    @Test func nonceOfTheResponseDecides() throws {
        let device = try self.verify(try self.fixture.proof(nonce: []))
        #expect(!device.isFresh)
    }

    /// A signature that holds, over the nonce of another challenge: a recording.
    @Test(arguments: [[9], [0] + Fixture.nonce, Array(Fixture.nonce.dropLast())])
    func anotherNonceIsNoProof(nonce: [UInt8]) throws {
        self.expect(.otherNonce, try self.fixture.proof(nonce: nonce))
    }

    @Test func everyTamperedPartBreaksTheSignature() throws {
        let good = try self.fixture.proof()
        var proof = good
        proof.nonce[3] ^= 1
        self.expect(.signatureWrong, proof)
        proof = good
        proof.signature[10] ^= 1
        self.expect(.signatureWrong, proof)
        proof = good
        proof.signature.removeLast()
        self.expect(.signatureWrong, proof)
        proof = good
        proof.hash = .sha1
        self.expect(.signatureWrong, proof)
        let other = try self.fixture.leaf(notBefore: Fixture.now, notAfter: Fixture.now + Fixture.day)
        self.expect(.signatureWrong, good, leaf: other)
        proof = good
        proof.signature = []
        self.expect(.signatureMissing, proof)
        #expect(OpenSSLErrors.drain() == "no reason given")
    }

    @Test func leafIsJudgedByItsTimes() throws {
        let now = Fixture.now
        let limit = now + 4 * Fixture.day
        let expired = try self.fixture.leaf(notBefore: now - 10, notAfter: now - 1)
        self.expect(.leafExpired(notAfter: now - 1), try self.fixture.proof(leaf: expired), leaf: expired)
        let early = try self.fixture.leaf(notBefore: now + 1, notAfter: now + 10)
        self.expect(.leafNotYetValid(notBefore: now + 1), try self.fixture.proof(leaf: early), leaf: early)
        let long = try self.fixture.leaf(notBefore: now, notAfter: limit + 1)
        self.expect(.leafEndsTooLate(notAfter: limit + 1), try self.fixture.proof(leaf: long), leaf: long)
        for (notBefore, notAfter) in [(now, limit), (now - 10, now)] {
            let leaf = try self.fixture.leaf(notBefore: notBefore, notAfter: notAfter)
            _ = try self.verify(try self.fixture.proof(leaf: leaf), leaf: leaf)
        }
        self.expect(.leafUnreadable, try self.fixture.proof(), leaf: Array(self.fixture.leaf.certificate.dropLast()))
    }

    /// Some devices make TLS certificates of version 1, without extensions (PROTOCOL notes 2.1 and 9, 25).
    @Test func leafOfVersionOneIsAccepted() throws {
        let leaf = try PlainCertificate(version: 1).make(for: self.fixture.spareKey)
        #expect(try self.verify(try self.fixture.proof(leaf: leaf), leaf: leaf).isFresh)
        let old = try PlainCertificate(version: 1, notAfter: Fixture.now - 1).make(for: self.fixture.spareKey)
        self.expect(.leafExpired(notAfter: Fixture.now - 1), try self.fixture.proof(leaf: old), leaf: old)
    }

    @Test func chainMustBeWholeAndEndAtATrustedRoot() throws {
        var proof = try self.fixture.proof()
        proof.intermediates = []
        self.expect(.missingIntermediate, proof)

        let other = try DeviceAuthVerifier(trustedRoots: [self.fixture.otherAuthority.certificate])
        #expect(throws: DeviceAuthFailure.untrustedRoot) { try self.verify(try self.fixture.proof(), with: other) }
        let none = try DeviceAuthVerifier(trustedRoots: [])
        #expect(throws: DeviceAuthFailure.untrustedRoot) { try self.verify(try self.fixture.proof(), with: none) }

        // A root that the device brings along is not trusted for that.
        proof.intermediates = self.fixture.identity.intermediates + [self.fixture.authority.certificate]
        #expect(throws: DeviceAuthFailure.untrustedRoot) { try self.verify(proof, with: other) }
        _ = try self.verify(proof)
        proof.intermediates.reverse()
        _ = try self.verify(proof)
    }

    @Test func certificatesOfTheChainMustBeValidNow() throws {
        let late = Fixture.now + 1_826 * Fixture.day + 1
        let leaf = try self.fixture.leaf(notBefore: late, notAfter: late + Fixture.day)
        #expect(throws: DeviceAuthFailure.certificateExpired(depth: 1)) {
            try self.verify(try self.fixture.proof(leaf: leaf), leaf: leaf, now: late)
        }
        let early = self.fixture.authority.validity.notBefore - 1
        let earlyLeaf = try self.fixture.leaf(notBefore: early, notAfter: early + Fixture.day)
        #expect(throws: DeviceAuthFailure.certificateNotYetValid(depth: 2)) {
            try self.verify(try self.fixture.proof(leaf: earlyLeaf), leaf: earlyLeaf, now: early)
        }
    }

    @Test func unreadableCertificatesAreNamed() throws {
        var proof = try self.fixture.proof()
        proof.deviceCertificate.append(0)
        self.expect(.deviceCertificateUnreadable, proof)
        proof = try self.fixture.proof()
        proof.intermediates.append([])
        self.expect(.intermediateUnreadable(index: 1), proof)
        proof.intermediates = Array(repeating: self.fixture.identity.intermediates[0], count: 17)
        self.expect(.tooManyIntermediates(count: 17), proof)
        #expect(throws: IdentityError.trustedRootUnreadable(index: 1)) {
            try DeviceAuthVerifier(trustedRoots: [self.fixture.authority.certificate, [0x30]])
        }
    }

    @Test func everyTruncationOfACertificateIsAnErrorAndNoTrap() throws {
        let whole = self.fixture.identity.deviceCertificate
        for length in 0..<whole.count {
            let isReadable = Certificate(der: Array(whole.prefix(length))) != nil
            #expect(!isReadable)
        }
        #expect(OpenSSLErrors.drain() == "no reason given")
    }

    @Test func deviceSignedByTheRootItselfIsAccepted() throws {
        let device = try self.device(CertificateProfile.device)
        #expect(try self.verify(self.proof(device)).commonName == "device")
    }

    @Test func deviceWithoutExtendedKeyUsageIsAccepted() throws {
        let device = try self.device(
            CertificateProfile(extensions: [(NID_key_usage, "critical,digitalSignature")]))
        #expect(try self.verify(self.proof(device)).isAudioOnly == false)
    }

    @Test func audioOnlyPolicyIsSeen() throws {
        // A sequence of the policies 1.2.3.4 and 1.3.6.1.4.1.11129.2.5.2.
        let policies = (NID_certificate_policies, "DER:3015300506032A0304300C060A2B06010401D679020502")
        let device = try self.device(CertificateProfile(extensions: CertificateProfile.device.extensions + [policies]))
        #expect(try self.verify(self.proof(device)).isAudioOnly)
    }

    @Test func deviceWithoutKeyUsageIsRefused() throws {
        let device = try self.device(CertificateProfile(extensions: [(NID_basic_constraints, "CA:false")]))
        self.expect(.keyUsageMissing, try self.proof(device))
    }

    @Test func deviceForServersOnlyIsRefused() throws {
        let device = try self.device(.tlsLeaf(.rsa))
        self.expect(.chainInvalid(depth: 0, reason: "unsuitable certificate purpose"), try self.proof(device))
    }

    @Test func unknownCriticalExtensionIsRefused() throws {
        let device = try self.device(
            CertificateProfile(
                extensions: CertificateProfile.device.extensions + [(NID_tlsfeature, "critical,status_request")]))
        self.expect(.chainInvalid(depth: 0, reason: "unhandled critical extension"), try self.proof(device))
    }

    @Test func weakKeysAreRefused() throws {
        for key in [try PrivateKey.rsa(bits: 1_024), try PrivateKey.elliptic()] {
            let device = try self.device(.device, key: key)
            self.expect(.keyTooWeak(depth: 0), try self.proof(device, key: key))
        }
    }

    @Test func deviceMustNotVouchForAnotherDevice() throws {
        let issuer = try Fixture.parse(self.fixture.identity.deviceCertificate)
        let device = try CertificateBuilder.start(
            commonName: "device", key: self.fixture.spareKey,
            validity: .starting(at: Fixture.now, lasting: Fixture.day)
        ).signed(profile: .device, by: issuer, with: self.fixture.identity.key)
        var proof = try self.proof(device)
        proof.intermediates = [self.fixture.identity.deviceCertificate] + self.fixture.identity.intermediates
        self.expect(.chainInvalid(depth: 1, reason: "invalid CA certificate"), proof)
    }

    @discardableResult
    private func verify(
        _ proof: DeviceAuthProof, leaf: [UInt8]? = nil, challengeNonce: [UInt8] = Fixture.nonce,
        with verifier: DeviceAuthVerifier? = nil, now: Int64 = Fixture.now
    ) throws(DeviceAuthFailure) -> VerifiedDevice {
        try (verifier ?? self.verifier).verify(
            proof, leaf: leaf ?? self.fixture.leaf.certificate, challengeNonce: challengeNonce, now: now)
    }

    private func expect(
        _ failure: DeviceAuthFailure, _ proof: DeviceAuthProof, leaf: [UInt8]? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(throws: failure, sourceLocation: sourceLocation) { try self.verify(proof, leaf: leaf) }
        #expect(!failure.description.isEmpty)
    }

    /// A device certificate that the root signs directly.
    private func device(_ profile: CertificateProfile, key: PrivateKey? = nil) throws -> [UInt8] {
        let root = try Fixture.parse(self.fixture.authority.certificate)
        return try CertificateBuilder.start(
            commonName: "device", key: key ?? self.fixture.spareKey,
            validity: .starting(at: Fixture.now, lasting: Fixture.day)
        ).signed(profile: profile, by: root, with: self.fixture.authority.key)
    }

    /// A proof by such a device.
    private func proof(_ device: [UInt8], key: PrivateKey? = nil) throws -> DeviceAuthProof {
        let message = Fixture.nonce + self.fixture.leaf.certificate
        return DeviceAuthProof(
            signature: try (key ?? self.fixture.spareKey).signature(over: message, hash: .sha256),
            deviceCertificate: device, intermediates: [], hash: .sha256, nonce: Fixture.nonce)
    }
}
