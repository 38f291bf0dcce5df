import CastClient
import CastWire
import CastwayTestSupport
import GRDB
import GatewayCore
import Logging
import NIOPosix
import StateStore
import Testing

@testable import DeviceSessions

/// What is written down of sessions, and what becomes of it when the disk fails.
@Suite(.timeLimit(.minutes(1))) struct SessionStoreTests {
    private func record(_ device: String, session: String = "session-1") -> SessionRecord {
        var application = ReceiverStatus.playing.applications[0]
        application.sessionID = session
        var record = SessionRecord(
            device: device, addresses: [DeviceAddress(host: "fd00::1", port: 8009)], app: .defaultMediaReceiver,
            application: application,
            options: LaunchOptions(
                languageCode: "de-DE", relaunchesIfRunning: true, supportedAppTypes: ["ANDROID_TV", "WEB"],
                credentials: .init(credentials: "secret", credentialsType: "web"),
                requiredFeatures: ["STREAM_TRANSFER"], senderName: "Lobby"),
            suspendReason: .networkError, media: ["mediaSessionId": 4, "currentTime": 17.5])
        record.category = DeviceCategory(plugin: "annex")
        record.provenDevice = "Model 1 0123456789AB"
        return record
    }

    private func store(_ database: any DatabaseWriter, log: LogRecorder = LogRecorder()) throws -> SessionStore {
        try SessionStore(database: database, logger: log.logger())
    }

    @Test func everythingComesBack() async throws {
        try await TemporaryFolder.with { folder in
            let path = folder.file("state.db")
            do {
                let store = try self.store(try DatabaseQueue(path: path))
                store.save(self.record("wall"))
                store.save(self.record("attic"))
                store.save(self.record("wall", session: "session-2"))
                store.save(self.record("cellar"))
                store.remove(device: "cellar")
                await store.settle()
            }
            let store = try self.store(try DatabaseQueue(path: path))
            #expect(try store.load() == [self.record("attic"), self.record("wall", session: "session-2")])
        }
    }

    /// Written again and again while it writes: the last word about each device is what stays.
    @Test func theLastWordCounts() async throws {
        let store = try self.store(try DatabaseQueue())
        await withTaskGroup(of: Void.self) { group in
            for device in 0..<8 {
                group.addTask {
                    for number in 0..<200 { store.save(self.record("tv-\(device)", session: "s-\(number)")) }
                }
            }
        }
        await store.settle()
        #expect(try store.load().map(\.application.sessionID) == Array(repeating: "s-199", count: 8))
    }

    @Test func aFailingDiskIsSaidOnceAndNothingElseIsLost() async throws {
        let log = LogRecorder()
        let database = try DatabaseQueue()
        let store = try self.store(database, log: log)
        store.save(self.record("wall"))
        await store.settle()
        try await database.write { try $0.execute(sql: "PRAGMA query_only = TRUE") }
        for device in ["a", "b", "c"] {
            store.save(self.record(device))
            await store.settle()
        }
        #expect(try store.load().map(\.device) == ["wall"])
        #expect(log.entries(atLeast: .error).count == 1)
        try await database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA query_only = FALSE") }
        store.remove(device: "wall")
        await store.settle()
        #expect(try store.load().map(\.device) == ["a", "b", "c"])
        #expect(log.entries.filter { $0.level == .notice }.count == 1)
    }

    @Test func whatCannotBeReadIsLeftOut() async throws {
        let log = LogRecorder()
        let database = try DatabaseQueue()
        let store = try self.store(database, log: log)
        store.save(self.record("wall"))
        await store.settle()
        try await database.write { db in
            for details in ["no JSON", "[]", "{}", #"{"application":{"sessionId":"s"}}"#] {
                try db.execute(
                    sql: "INSERT INTO session_record (device, details) VALUES (?, ?)", arguments: [details, details])
            }
        }
        #expect(try store.load().map(\.device) == ["wall"])
        #expect(log.entries(atLeast: .warning).count == 4)
    }

    @Test func tablesOfANewerCastwayAreNotTouched() throws {
        let database = try DatabaseQueue()
        _ = try self.store(database)
        try database.write { try $0.execute(sql: "INSERT INTO session_schema (version) VALUES (99)") }
        #expect(throws: StateSchema.TooNew.self) { try self.store(database) }
    }

    /// What Castway wrote before it used GRDB's migrator.
    @Test func tablesOfAnOlderCastwayAreRead() throws {
        let database = try DatabaseQueue()
        let details = JSONValue.object(self.record("wall").json).text
        try database.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE session_schema (version INTEGER NOT NULL) STRICT;
                    CREATE TABLE session_record (
                        device TEXT PRIMARY KEY,
                        details TEXT NOT NULL
                    ) STRICT;
                    INSERT INTO session_schema (version) VALUES (1);
                    """)
            try db.execute(sql: "INSERT INTO session_record VALUES ('wall', ?)", arguments: [details])
        }
        #expect(try self.store(database).load() == [self.record("wall")])
        #expect(try database.read { try Int.fetchAll($0, sql: "SELECT version FROM session_schema") } == [1])
    }

    @Test func credentialsAreNotPrinted() {
        #expect(!"\(self.record("wall"))".contains("secret"))
    }
}
