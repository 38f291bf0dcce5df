import GRDB
import Testing

@testable import CastIdentity

@Suite struct TLSLeafTests {
    @Test func isValidForTwoDaysAndBackdated() throws {
        let leaf = try Fixture.shared().leaf
        #expect(leaf.notBefore == Fixture.now - 3_600)
        #expect(leaf.notAfter == Fixture.now + 2 * Fixture.day)
        let parsed = try Fixture.parse(leaf.certificate)
        let name = parsed.commonName
        #expect(try name == Fixture.shared().identity.uuid)
        let matches = parsed.belongs(to: try PrivateKey(der: leaf.privateKey))
        #expect(matches)
    }

    @Test(arguments: [(TLSKeyKind.p256, nil, 256), (.rsa, 2_048, 2_048)])
    func hasTheKindOfKeyThatWasAskedFor(kind: TLSKeyKind, rsaBits: Int?, bits: Int) throws {
        let leaf = try TLSLeaf.generate(commonName: "any", key: kind, now: Fixture.now)
        #expect(leaf.keyKind == kind)
        let parsed = try Fixture.parse(leaf.certificate).rsaKeyBits
        #expect(parsed == rsaBits)
        #expect(try PrivateKey(der: leaf.privateKey).bits == bits)
        #expect(TLSLeaf(certificate: leaf.certificate, privateKey: leaf.privateKey) == leaf)
    }

    @Test func aStoredLeafWithAnotherKindOfKeyIsReplaced() throws {
        let store = try IdentityStoreTests.storeWithKitchen()
        let identity = try store.loadOrCreate(device: "Kitchen", now: Fixture.now)
        // What earlier versions left in the database.
        let old = try store.currentLeaf(for: identity, key: .rsa, now: Fixture.now)
        #expect(old.keyKind == .rsa)
        let new = try store.currentLeaf(for: identity, now: Fixture.now)
        #expect(new.keyKind == .p256)
        #expect(try store.currentLeaf(for: identity, now: Fixture.now) == new)
        #expect(try store.currentLeaf(for: identity, key: .rsa, now: Fixture.now).keyKind == .rsa)
        #expect(try store.transientLeaf(for: identity, key: .rsa, now: Fixture.now).keyKind == .rsa)
    }

    @Test func needsRenewalInItsLastDay() throws {
        let leaf = try Fixture.shared().leaf
        #expect(!leaf.needsRenewal(at: Fixture.now))
        #expect(!leaf.needsRenewal(at: Fixture.now + Fixture.day))
        #expect(leaf.needsRenewal(at: Fixture.now + Fixture.day + 1))
        #expect(leaf.needsRenewal(at: Fixture.now + 5 * Fixture.day))
        #expect(leaf.needsRenewal(at: leaf.notBefore - 1))
    }

    @Test func storeRenewsItWhileTheOldOneStillSigns() throws {
        let store = try IdentityStoreTests.storeWithKitchen()
        let identity = try store.loadOrCreate(device: "Kitchen", now: Fixture.now)
        let old = try store.currentLeaf(for: identity, now: Fixture.now)
        #expect(try store.currentLeaf(for: identity, now: Fixture.now + Fixture.day) == old)

        let later = Fixture.now + Fixture.day + 60
        let new = try store.currentLeaf(for: identity, now: later)
        #expect(new != old)
        #expect(new.notAfter == later + 2 * Fixture.day)
        #expect(try store.currentLeaf(for: identity, now: later) == new)

        let fixture = try Fixture.shared()
        let verifier = try DeviceAuthVerifier(trustedRoots: [fixture.authority.certificate])
        for leaf in [old, new] {
            let proof = try fixture.proof(leaf: leaf.certificate)
            let device = try verifier.verify(
                proof, leaf: leaf.certificate, challengeNonce: Fixture.nonce, now: later)
            #expect(device.commonName == identity.idHex.uppercased())
        }
    }

    @Test func damagedStoredLeafIsReplaced() throws {
        let store = try IdentityStoreTests.storeWithKitchen()
        let identity = try store.loadOrCreate(device: "Kitchen", now: Fixture.now)
        try store.database.write {
            try $0.execute(
                sql: "INSERT INTO identity_leaf VALUES (?, x'30', x'30')", arguments: [identity.uuid])
        }
        let leaf = try store.currentLeaf(for: identity, now: Fixture.now)
        #expect(try store.currentLeaf(for: identity, now: Fixture.now) == leaf)
    }

    @Test func identityOfAnotherStoreIsRefused() throws {
        let fixture = try Fixture.shared()
        let store = try Fixture.store()
        #expect(throws: IdentityError.self) { try store.currentLeaf(for: fixture.identity, now: Fixture.now) }
    }

    @Test(arguments: ["", String(repeating: "a", count: 65)])
    func unsuitableCommonNameIsAnError(name: String) throws {
        let error = #expect(throws: IdentityError.self) {
            try TLSLeaf.generate(commonName: name, now: Fixture.now)
        }
        guard case .cryptographyFailed(action: "make a certificate", let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains("string too"))
        #expect(OpenSSLErrors.drain() == "no reason given")
    }
}
