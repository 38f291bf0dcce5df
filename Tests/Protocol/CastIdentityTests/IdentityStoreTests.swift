import CastwayTestSupport
import GRDB
import Testing

@testable import CastIdentity

@Suite struct IdentityStoreTests {
    @Test func identityStaysTheSameAcrossReopening() throws {
        let directory = try TemporaryFolder()
        let first = try IdentityStore.open(stateDirectory: directory.path)
        let made = try first.loadOrCreate(device: "Kitchen", now: Fixture.now)
        let leaf = try first.currentLeaf(for: made, now: Fixture.now)
        let root = try first.root(now: Fixture.now)
        #expect(try first.loadOrCreate(device: "Kitchen", now: Fixture.now + 60) == made)

        let second = try IdentityStore.open(stateDirectory: directory.path)
        let loaded = try second.loadOrCreate(device: "Kitchen", now: Fixture.now + 3_600)
        #expect(loaded == made)
        #expect(try second.currentLeaf(for: loaded, now: Fixture.now + 3_600) == leaf)
        #expect(try second.root(now: Fixture.now + 3_600) == root)
        #expect(loaded.rootFingerprint == root.fingerprint)
        #expect(root.notBefore == Fixture.now - 3_600)
        #expect(root.notAfter == Fixture.now + 3_652 * Fixture.day)
        #expect(root.subject.hasPrefix("CN=Castway Developer Root "))
        #expect(root.pem.hasPrefix("-----BEGIN CERTIFICATE-----\n"))
    }

    @Test func devicesHaveTheirOwnUUIDAndKey() throws {
        let store = try Fixture.store(root: try Fixture.shared().authority)
        let living = try store.loadOrCreate(device: "Living room", now: Fixture.now)
        let attic = try store.loadOrCreate(device: "Attic", now: Fixture.now)
        #expect(living.uuid != attic.uuid)
        #expect(living.key != attic.key)
        #expect(living.uuid.utf8.count == 36)
        #expect(living.idHex == living.uuid.filter { $0 != "-" })
        #expect(try store.list() == [attic, living])
    }

    @Test func tellsWhichDevicesHaveNoIdentity() throws {
        let store = try Self.storeWithKitchen()
        #expect(try store.missing(of: ["Attic", "Kitchen", "Cellar"]) == ["Attic", "Cellar"])
        #expect(try Fixture.store().missing(of: []) == [])
    }

    @Test func listOfAnEmptyStoreIsEmpty() throws {
        #expect(try Fixture.store().list().isEmpty)
    }

    @Test func emptyNameIsRefused() throws {
        let store = try Fixture.store()
        #expect(throws: IdentityError.emptyDeviceName) { try store.loadOrCreate(device: "", now: Fixture.now) }
    }

    @Test func nearItsEndTheChainIsReplacedAndTheKeyStays() throws {
        let store = try Fixture.store(root: try Fixture.shared().authority)
        let made = try store.loadOrCreate(device: "Kitchen", now: Fixture.now)
        let nearEnd = Fixture.now + (1_826 - 29) * Fixture.day
        #expect(try store.loadOrCreate(device: "Kitchen", now: nearEnd - 2 * Fixture.day) == made)

        let renewed = try store.loadOrCreate(device: "Kitchen", now: nearEnd)
        #expect(renewed.uuid == made.uuid)
        #expect(renewed.key == made.key)
        #expect(renewed.deviceCertificate != made.deviceCertificate)
        #expect(renewed.rootFingerprint == made.rootFingerprint)
        #expect(try Fixture.validity(renewed.deviceCertificate)?.notAfter == nearEnd + 1_826 * Fixture.day)
        #expect(try store.list() == [renewed])
    }

    @Test func chainEndsWithItsRootAndIsNotReplacedInVain() throws {
        let root = try Fixture.shared().authority
        let store = try Fixture.store(root: root)
        let late = root.validity.notAfter - 10 * Fixture.day
        let made = try store.loadOrCreate(device: "Kitchen", now: late)
        #expect(try Fixture.validity(made.deviceCertificate)?.notAfter == root.validity.notAfter)
        #expect(try store.loadOrCreate(device: "Kitchen", now: late + Fixture.day) == made)
    }

    @Test func expiredGeneratedRootIsReplaced() throws {
        let root = try Fixture.shared().authority
        let store = try Fixture.store(root: root)
        #expect(try store.root(now: root.validity.notAfter).fingerprint == root.fingerprint)
        #expect(try store.root(now: root.validity.notAfter + 1).fingerprint != root.fingerprint)
    }

    /// A board that started years ahead, and whose clock was set a moment ago.
    @Test func aRootThatWasMadeByAWrongClockIsMadeAnew() throws {
        let store = try Fixture.store()
        let ahead = Fixture.now + 9 * 365 * Fixture.day
        let old = try store.loadOrCreate(device: "Kitchen", now: ahead)
        let root = try store.root(now: ahead)
        let renewed = try store.loadOrCreate(device: "Kitchen", now: Fixture.now)
        #expect(try store.root(now: Fixture.now).notBefore == Fixture.now - 3_600)
        #expect(renewed.rootFingerprint != root.fingerprint)
        // Senders know the device by these.
        #expect(renewed.uuid == old.uuid && renewed.key == old.key)
    }

    /// The clock of a board is behind until it is set: the root that senders trust stays, unless the clock is known to be right.
    @Test(arguments: [true, false]) func aRootOfAnEarlierRunStaysUnlessTheClockIsKept(isKept: Bool) throws {
        let root = try Fixture.shared().authority
        let store = try Fixture.store(root: root)
        let second = try IdentityStore(database: store.database, isClockKept: { isKept })
        let early = root.validity.notBefore - 365 * Fixture.day
        #expect((try second.root(now: early).fingerprint == root.fingerprint) == !isKept)
    }

    /// It is only waited for.
    @Test func aRootThatBeginsSoonStays() throws {
        let root = try Fixture.shared().authority
        let store = try Fixture.store(root: root)
        let second = try IdentityStore(database: store.database, isClockKept: { true })
        #expect(try second.root(now: root.validity.notBefore - 3_600).fingerprint == root.fingerprint)
    }

    @Test func aServerCertificateFromTheFutureIsMadeAnew() throws {
        let root = try Fixture.shared().authority
        let store = try Fixture.store(root: root)
        let names = ServerNames(names: ["localhost"], addresses: [])
        let ahead = try store.serverCertificate(for: names, now: Fixture.now + 400 * Fixture.day)
        let right = try store.serverCertificate(for: names, now: Fixture.now)
        #expect(ahead.notBefore > Fixture.now && right.notBefore <= Fixture.now)
        // A clock that is not set yet is no reason.
        #expect(try store.serverCertificate(for: names, now: 0) == right)
    }

    @Test func clockBeforeTheRootDoesNotMakeAnExpiredChain() throws {
        let root = try Fixture.shared().authority
        let store = try Fixture.store(root: root)
        let made = try store.loadOrCreate(device: "Kitchen", now: 0)
        let validity = try #require(try Fixture.validity(made.deviceCertificate))
        #expect(validity.notBefore == root.validity.notBefore)
        #expect(validity.notAfter == Fixture.now + 1_826 * Fixture.day)
        #expect(try store.loadOrCreate(device: "Kitchen", now: Fixture.now) == made)
    }

    @Test(arguments: ["private_key", "certificate", "intermediate"])
    func damagedRowIsReported(column: String) throws {
        let store = try Self.storeWithKitchen()
        try store.database.write { try $0.execute(sql: "UPDATE identity_device SET \(column) = x'3000'") }
        let error = #expect(throws: IdentityError.self) {
            try store.loadOrCreate(device: "Kitchen", now: Fixture.now)
        }
        guard case .storedIdentityDamaged(subject: "device Kitchen", _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func foreignKeyInTheRowIsReported() throws {
        let store = try Self.storeWithKitchen()
        let other = Blob(try Fixture.shared().spareKey.der())
        try store.database.write {
            try $0.execute(sql: "UPDATE identity_device SET private_key = ?", arguments: [other])
        }
        #expect(
            throws: IdentityError.storedIdentityDamaged(
                subject: "device Kitchen", reason: "certificate and key do not match")
        ) { try store.list() }
    }

    @Test func damagedRootIsReportedAndKept() throws {
        let store = try Fixture.store(root: try Fixture.shared().authority)
        try store.database.write { try $0.execute(sql: "UPDATE identity_root SET private_key = x'00'") }
        #expect(
            throws: IdentityError.storedIdentityDamaged(
                subject: "developer root", reason: "its key is not readable")
        ) { try store.root(now: Fixture.now) }
    }

    /// A store that holds the shared identity.
    static func storeWithKitchen() throws -> IdentityStore {
        let fixture = try Fixture.shared()
        let store = try Fixture.store(root: fixture.authority)
        let uuid = try #require(DeviceUUID(fixture.identity.uuid))
        let record = DeviceRow(
            name: "Kitchen", uuid: uuid, privateKey: try fixture.identity.key.der(),
            chain: DeviceChain(
                device: fixture.identity.deviceCertificate, intermediate: fixture.identity.intermediates[0],
                rootFingerprint: fixture.authority.fingerprint))
        try store.database.write { try record.insert($0) }
        return store
    }
}
