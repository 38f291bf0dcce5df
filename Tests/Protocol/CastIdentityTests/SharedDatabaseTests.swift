import CastwayTestSupport
import Foundation
import Testing

@testable import CastIdentity

@Suite struct SharedDatabaseTests {
    /// What one program found; travels from a child process through a file.
    struct Finding: Codable, Hashable {
        let uuid: String
        let certificate: [UInt8]
        let leaf: [UInt8]
    }

    @Test(.timeLimit(.minutes(1))) func storesThatRaceOnOneFileAgree() throws {
        let directory = try TemporaryFolder()
        let findings = ResultList<Finding>()
        // Threads of their own: whole stores, from making the file on, at the same moment.
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            findings.append(Result { try Self.find(in: directory.path + "/new/state") })
        }
        let found = try findings.all()
        #expect(found.count == 4)
        #expect(Set(found).count == 1)
        let store = try IdentityStore.open(stateDirectory: directory.path + "/new/state")
        #expect(try store.list().map(\.uuid) == found.prefix(1).map(\.uuid))
        #expect(try store.root(now: Fixture.now).fingerprint == store.list().first?.rootFingerprint)
    }

    @Test(.timeLimit(.minutes(1))) func processesThatRaceOnOneFileAgree() async throws {
        let directory = try TemporaryFolder()
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<2 {
                group.addTask { [path = directory.path] in
                    await #expect(processExitsWith: .success) { [path = path as String, index = index as Int] in
                        let finding = try SharedDatabaseTests.find(in: path + "/state")
                        try JSONEncoder().encode(finding).write(to: URL(fileURLWithPath: path + "/\(index).json"))
                    }
                }
            }
        }
        var found: Set<Finding> = [try Self.find(in: directory.path + "/state")]
        for index in 0..<2 {
            let data = try Data(contentsOf: URL(fileURLWithPath: directory.file("\(index).json")))
            found.insert(try JSONDecoder().decode(Finding.self, from: data))
        }
        #expect(found.count == 1)
    }

    @Test func secondStoreSeesWhatTheFirstRenews() throws {
        let directory = try TemporaryFolder()
        let first = try IdentityStore.open(stateDirectory: directory.path)
        let second = try IdentityStore.open(stateDirectory: directory.path)
        try Fixture.save(try Fixture.shared().authority, in: first)
        let identity = try first.loadOrCreate(device: "Kitchen", now: Fixture.now)
        #expect(try second.loadOrCreate(device: "Kitchen", now: Fixture.now) == identity)
        let leaf = try second.currentLeaf(for: identity, now: Fixture.now)
        #expect(try first.currentLeaf(for: identity, now: Fixture.now) == leaf)
    }

    static func find(in path: String) throws -> Finding {
        let store = try IdentityStore.open(stateDirectory: path)
        let identity = try store.loadOrCreate(device: "Kitchen", now: Fixture.now)
        let leaf = try store.currentLeaf(for: identity, now: Fixture.now)
        return Finding(uuid: identity.uuid, certificate: identity.deviceCertificate, leaf: leaf.certificate)
    }
}
