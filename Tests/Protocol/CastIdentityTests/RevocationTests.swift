import CCrypto
import CastwayTestSupport
import Foundation
import Testing

@testable import CastIdentity

@Suite struct RevocationTests {
    let fixture: Fixture
    let verifier: DeviceAuthVerifier
    /// What the signer's certificate leads to, with the signer's key and certificate.
    let signer: [UInt8]

    init() throws {
        let fixture = try Fixture.shared()
        self.fixture = fixture
        self.signer = try Self.signer(of: fixture.otherAuthority)
        // The roots of lists are others than those of devices.
        self.verifier = try DeviceAuthVerifier(
            trustedRoots: [fixture.authority.certificate], revocationRoots: [fixture.otherAuthority.certificate])
    }

    @Test func proofWithoutAListIsNoFailure() throws {
        #expect(try self.check(.none) == .noList)
    }

    @Test func listThatRevokesOthersIsChecked() throws {
        let stranger = [UInt8](repeating: 7, count: 32)
        let list = self.list(
            keyHashes: [stranger], serials: [.init(issuerKeyHash: stranger, first: 0, last: .max)])
        #expect(try self.check(self.evidence(list)) == .checked)
    }

    @Test(arguments: 0...2) func revokedKeyIsFoundAnywhereInTheChain(_ depth: Int) throws {
        let identity = self.fixture.identity
        let chain = [identity.deviceCertificate] + identity.intermediates + [self.fixture.authority.certificate]
        let list = self.list(keyHashes: [try Fixture.parse(chain[depth]).keyHash()])
        #expect(throws: DeviceAuthFailure.certificateRevoked(depth: depth)) { try self.check(self.evidence(list)) }
    }

    @Test(.enabled(if: OpenSSLTool.isInstalled)) func keyHashIsThatOfTheSubjectPublicKeyInfo() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(try Fixture.parse(self.signer).pem(), to: "signer.pem")
        let (code, output) = try OpenSSLTool.run(["x509", "-in", path, "-noout", "-pubkey"])
        #expect(code == 0)
        let body = output.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
        let info = [UInt8](try #require(Data(base64Encoded: body)))
        let hash = try Fixture.parse(self.signer).keyHash()
        #expect(try hash == HashAlgorithm.sha256.digest(of: info))
    }

    /// Serial numbers of more than 64 bits, as Castway makes them, cannot be expressed, so the device has a short one.
    @Test(arguments: [
        (UInt64(100), UInt64(200), true), (150, 150, true), (0, 149, false), (151, .max, false), (0, .max, true),
    ])
    func revokedSerialNumbersAreOfTheirIssuer(_ first: UInt64, _ last: UInt64, _ isRevoked: Bool) throws {
        let proof = try self.proofOfDevice(serialNumber: 150)
        let root = try Fixture.parse(self.fixture.authority.certificate).keyHash()
        let list = self.list(serials: [.init(issuerKeyHash: root, first: first, last: last)])
        if isRevoked {
            #expect(throws: DeviceAuthFailure.certificateRevoked(depth: 0)) {
                try self.check(self.evidence(list), proof)
            }
        } else {
            #expect(try self.check(self.evidence(list), proof) == .checked)
        }
        // Numbers are unique per issuer only.
        let other = try Fixture.parse(self.fixture.otherAuthority.certificate).keyHash()
        let foreign = self.list(serials: [.init(issuerKeyHash: other, first: first, last: last)])
        #expect(try self.check(self.evidence(foreign), proof) == .checked)
    }

    @Test func longSerialNumbersAreInNoRange() throws {
        let identity = self.fixture.identity
        let issuer = try Fixture.parse(identity.intermediates[0]).keyHash()
        let list = self.list(serials: [.init(issuerKeyHash: issuer, first: 0, last: .max)])
        #expect(try self.check(self.evidence(list)) == .checked)
    }

    @Test func listsHaveTheirTime() throws {
        let now = Fixture.now
        #expect(
            try self.check(self.evidence(self.list(notAfter: now - 1)))
                == .listInvalid(.expired(notAfter: now - 1)))
        #expect(
            try self.check(self.evidence(self.list(notBefore: now + 1)))
                == .listInvalid(.notYetValid(notBefore: now + 1)))
        #expect(try self.check(self.evidence(self.list(notBefore: now, notAfter: now))) == .checked)
    }

    /// A list that does not hold revokes nothing.
    @Test func tamperedListsAreNotLookedAt() throws {
        let revoking = self.list(keyHashes: [try Fixture.parse(self.fixture.identity.deviceCertificate).keyHash()])
        let good = try self.signed(revoking)
        let cases: [(SignedRevocationList, RevocationListFailure)] = [
            (
                SignedRevocationList(
                    signed: good.signed + [0], signer: good.signer, signature: good.signature, list: good.list),
                .signatureWrong
            ),
            (
                SignedRevocationList(
                    signed: good.signed, signer: good.signer, signature: Array(good.signature.dropLast()),
                    list: good.list), .signatureWrong
            ),
            (
                SignedRevocationList(signed: good.signed, signer: [], signature: good.signature, list: good.list),
                .signerUnreadable
            ),
            (
                SignedRevocationList(
                    signed: good.signed, signer: try Self.signer(of: self.fixture.authority),
                    signature: good.signature, list: good.list), .signerUntrusted(.missingIntermediate)
            ),
        ]
        for (list, failure) in cases {
            #expect(try self.check(.list(list)) == .listInvalid(failure))
        }
        #expect(throws: DeviceAuthFailure.certificateRevoked(depth: 0)) { try self.check(.list(good)) }
        #expect(OpenSSLErrors.drain() == "no reason given")
    }

    @Test func reversedRangesVoidTheList() throws {
        let hash = [UInt8](repeating: 1, count: 32)
        let list = self.list(serials: [.init(issuerKeyHash: hash, first: 2, last: 1)])
        #expect(try self.check(self.evidence(list)) == .listInvalid(.rangeReversed))
    }

    @Test func unusableListsAreTold() throws {
        for failure in [RevocationListFailure.versionUnknown, .unreadable(reason: "cut off")] {
            #expect(try self.check(.unusable(failure)) == .listInvalid(failure))
            #expect(!RevocationCheck.listInvalid(failure).description.isEmpty)
        }
    }

    /// Without roots of their own, lists are trusted when their signer leads to a root for devices.
    @Test func rootsOfDevicesStandInForRootsOfLists() throws {
        let verifier = try DeviceAuthVerifier(trustedRoots: [self.fixture.authority.certificate])
        let evidence = RevocationEvidence.list(
            try self.signed(self.list(), signer: try Self.signer(of: self.fixture.authority)))
        #expect(try self.check(evidence, with: verifier) == .checked)
    }

    // MARK: What the tests are made of

    private func check(
        _ evidence: RevocationEvidence, _ proof: DeviceAuthProof? = nil, with verifier: DeviceAuthVerifier? = nil
    ) throws -> RevocationCheck {
        var proof = try proof ?? self.fixture.proof()
        proof.revocation = evidence
        return try (verifier ?? self.verifier).verify(
            proof, leaf: self.fixture.leaf.certificate, challengeNonce: Fixture.nonce, now: Fixture.now
        ).revocation
    }

    private func list(
        notBefore: Int64 = Fixture.now - 10, notAfter: Int64 = Fixture.now + 10, keyHashes: Set<[UInt8]> = [],
        serials: [RevocationList.Serials] = []
    ) -> RevocationList {
        RevocationList(notBefore: notBefore, notAfter: notAfter, keyHashes: keyHashes, serials: serials)
    }

    private func evidence(_ list: RevocationList) throws -> RevocationEvidence {
        .list(try self.signed(list))
    }

    private func signed(_ list: RevocationList, signer: [UInt8]? = nil) throws -> SignedRevocationList {
        // What is signed is the wire's affair; here it is enough that it is the same.
        let signed = Array("a list".utf8)
        return SignedRevocationList(
            signed: signed, signer: signer ?? self.signer,
            signature: try self.fixture.spareKey.signature(over: signed, hash: .sha256), list: list)
    }

    /// A certificate for signing lists, of the spare key.
    private static func signer(of authority: RootAuthority) throws -> [UInt8] {
        let profile = CertificateProfile(extensions: [(NID_key_usage, "critical,digitalSignature")])
        return try CertificateBuilder.start(
            commonName: "CRL Signer", key: try Fixture.shared().spareKey,
            validity: .starting(at: Fixture.now, lasting: Fixture.day)
        ).signed(profile: profile, by: try Fixture.parse(authority.certificate), with: authority.key)
    }

    /// What a device with this serial number sends that the root vouches for itself.
    private func proofOfDevice(serialNumber: UInt64) throws -> DeviceAuthProof {
        let root = self.fixture.authority.certificate
        let device = try PlainCertificate(
            serialNumber: serialNumber, extensions: CertificateProfile.device.extensions
        ).make(for: self.fixture.spareKey, by: root, with: self.fixture.authority.key)
        let message = Fixture.nonce + self.fixture.leaf.certificate
        return DeviceAuthProof(
            signature: try self.fixture.spareKey.signature(over: message, hash: .sha256),
            deviceCertificate: device, intermediates: [], hash: .sha256, nonce: Fixture.nonce)
    }
}
