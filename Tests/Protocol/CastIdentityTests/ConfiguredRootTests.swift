import CCrypto
import GRDB
import Testing

@testable import CastIdentity

@Suite struct ConfiguredRootTests {
    @Test func signsTheSameDeviceAnew() throws {
        let fixture = try Fixture.shared()
        let database = try DatabaseQueue()
        let generated = try IdentityStore(database: database)
        try Fixture.save(fixture.authority, in: generated)
        let made = try generated.loadOrCreate(device: "Kitchen", now: Fixture.now)

        let configured = try IdentityStore(database: database, root: try Fixture.pem(fixture.otherAuthority))
        #expect(try configured.root(now: Fixture.now) == fixture.otherAuthority.described())
        let reissued = try configured.loadOrCreate(device: "Kitchen", now: Fixture.now)
        #expect(reissued.uuid == made.uuid)
        #expect(reissued.key == made.key)
        #expect(reissued.rootFingerprint == fixture.otherAuthority.fingerprint)
        #expect(reissued.deviceCertificate != made.deviceCertificate)
        #expect(try configured.loadOrCreate(device: "Kitchen", now: Fixture.now) == reissued)

        let verifier = try DeviceAuthVerifier(trustedRoots: [fixture.otherAuthority.certificate])
        let leaf = fixture.leaf.certificate
        let proof = DeviceAuthProof(
            signature: try reissued.sign(nonce: [], leaf: leaf, hash: .sha256),
            deviceCertificate: reissued.deviceCertificate, intermediates: reissued.intermediates, hash: .sha256,
            nonce: [])
        let device = try verifier.verify(proof, leaf: leaf, challengeNonce: [], now: Fixture.now)
        #expect(device.rootFingerprint == fixture.otherAuthority.fingerprint)

        #expect(try generated.loadOrCreate(device: "Kitchen", now: Fixture.now).uuid == made.uuid)
    }

    @Test func keyOfAnotherRootIsRefused() throws {
        let fixture = try Fixture.shared()
        let certificate = Array(try fixture.authority.described().pem.utf8)
        #expect(throws: IdentityError.rootKeyMismatch) {
            try Self.store(certificate, try fixture.otherAuthority.key.pem())
        }
    }

    @Test func certificateThatIsNoAuthorityIsRefused() throws {
        let key = try Fixture.shared().spareKey
        for profile in [CertificateProfile.device, CertificateProfile(extensions: [])] {
            let error = #expect(throws: IdentityError.self) {
                try Self.store(try Self.certificate(key, profile), try key.pem())
            }
            #expect(error?.description.contains("no CA certificate") == true)
        }
    }

    @Test func authorityThatMustNotSignCertificatesIsRefused() throws {
        let key = try Fixture.shared().spareKey
        let profile = CertificateProfile(extensions: [
            (NID_basic_constraints, "critical,CA:true"), (NID_key_usage, "critical,cRLSign"),
        ])
        let error = #expect(throws: IdentityError.self) {
            try Self.store(try Self.certificate(key, profile), try key.pem())
        }
        #expect(error?.description.contains("no CA certificate") == true)
    }

    @Test func authorityWithoutRoomForAnIntermediateIsRefused() throws {
        let key = try Fixture.shared().spareKey
        let error = #expect(throws: IdentityError.self) {
            try Self.store(try Self.certificate(key, .intermediate), try key.pem())
        }
        #expect(error?.description.contains("pathlen") == true)
    }

    @Test func authorityForServersOnlyIsRefused() throws {
        let key = try Fixture.shared().spareKey
        let profile = CertificateProfile(extensions: [
            (NID_basic_constraints, "critical,CA:true"), (NID_ext_key_usage, "serverAuth"),
        ])
        let error = #expect(throws: IdentityError.self) {
            try Self.store(try Self.certificate(key, profile), try key.pem())
        }
        #expect(error?.description.contains("clientAuth") == true)
    }

    @Test func smallKeyIsRefused() throws {
        let key = try PrivateKey.rsa(bits: 1_024)
        #expect(throws: IdentityError.rootKeyTooSmall(bits: 1_024)) {
            try Self.store(try Self.certificate(key, .root), try key.pem())
        }
    }

    @Test func keyThatIsNotRSAIsRefused() throws {
        let key = try PrivateKey.elliptic()
        #expect(throws: IdentityError.rootKeyNotRSA) {
            try Self.store(try Self.certificate(key, .root), try key.pem())
        }
    }

    @Test func encryptedKeyIsRefusedWithoutAsking() throws {
        let authority = try Fixture.shared().authority
        let certificate = Array(try authority.described().pem.utf8)
        #expect(throws: IdentityError.rootKeyEncrypted) {
            try Self.store(certificate, try authority.key.pem(passphrase: "secret"))
        }
        #expect(OpenSSLErrors.drain() == "no reason given")
    }

    @Test func swappedFilesAreRefused() throws {
        let authority = try Fixture.shared().authority
        let certificate = Array(try authority.described().pem.utf8)
        let key = try authority.key.pem()
        let first = #expect(throws: IdentityError.self) { try Self.store(key, certificate) }
        guard case .rootCertificateUnreadable = first else {
            Issue.record("\(String(describing: first))")
            return
        }
        let second = #expect(throws: IdentityError.self) { try Self.store(certificate, certificate) }
        guard case .rootKeyUnreadable = second else {
            Issue.record("\(String(describing: second))")
            return
        }
        #expect(OpenSSLErrors.drain() == "no reason given")
    }

    @Test func expiredRootIsRefused() throws {
        let authority = try Fixture.shared().authority
        let store = try IdentityStore(database: try DatabaseQueue(), root: try Fixture.pem(authority))
        let end = authority.validity.notAfter
        #expect(try store.root(now: end).notAfter == end)
        #expect(throws: IdentityError.rootExpired(notAfter: end)) { try store.root(now: end + 1) }
        #expect(throws: IdentityError.rootExpired(notAfter: end)) {
            try store.loadOrCreate(device: "Kitchen", now: end + 1)
        }
    }

    @Test func rootWithoutKeyIdentifierSignsVerifiableDevices() throws {
        let fixture = try Fixture.shared()
        let pem = try #require(
            MemoryBuffer.text { bio in
                guard let root = Certificate(der: fixture.authority.certificate) else { return false }
                return root.withHandle { handle in
                    let place = X509_get_ext_by_NID(handle, NID_subject_key_identifier, -1)
                    X509_EXTENSION_free(X509_delete_ext(handle, place))
                    return fixture.authority.key.withHandle { X509_sign(handle, $0, EVP_sha256()) } > 0
                        && PEM_write_bio_X509(bio, handle) == 1
                }
            })
        let authority = try RootAuthority(pemCertificate: Array(pem.utf8), pemKey: try fixture.authority.key.pem())
        let uuid = try #require(DeviceUUID(fixture.identity.uuid))
        let chain = try authority.issueChain(for: fixture.identity.key, uuid: uuid, now: Fixture.now)
        var proof = try fixture.proof()
        proof.deviceCertificate = chain.device
        proof.intermediates = [chain.intermediate]
        let verifier = try DeviceAuthVerifier(trustedRoots: [authority.certificate])
        let device = try verifier.verify(
            proof, leaf: fixture.leaf.certificate, challengeNonce: Fixture.nonce, now: Fixture.now)
        #expect(device.rootFingerprint == authority.fingerprint)
    }

    private static func store(_ certificate: [UInt8], _ key: [UInt8]) throws -> IdentityStore {
        try IdentityStore(database: try DatabaseQueue(), root: .pem(certificate: certificate, privateKey: key))
    }

    private static func certificate(_ key: PrivateKey, _ profile: CertificateProfile) throws -> [UInt8] {
        let der = try CertificateBuilder.start(
            commonName: "root", key: key, validity: .starting(at: Fixture.now, lasting: Fixture.day)
        ).selfSigned(profile: profile)
        return Array(try Fixture.parse(der).pem().utf8)
    }
}
