import CastWire
import CastwayTestSupport
import GRDB
import PluginHosting
import Testing

/// What plugins keep.
@Suite struct PluginStoreTests {
    private static func with(_ body: (PluginDatabase, _ path: String) async throws -> Void) async throws {
        try await TemporaryFolder.with { folder in
            let path = folder.file("state.db")
            try await body(try PluginDatabase(database: try DatabaseQueue(path: path)), path)
        }
    }

    @Test func valuesAreKeptForEachPluginAlone() async throws {
        try await Self.with { store, path in
            try await store.put(["points": 3], under: "a", for: "quiz", quota: 1000)
            try await store.put("other", under: "a", for: "echo", quota: 1000)
            #expect(try await store.value(of: "a", for: "quiz") == ["points": 3])
            try await store.put(7, under: "a", for: "quiz", quota: 1000)
            #expect(try await store.value(of: "a", for: "quiz") == 7)
            #expect(try await store.value(of: "b", for: "quiz") == nil)
            try await store.delete("a", for: "quiz")
            try await store.delete("a", for: "quiz")
            #expect(try await store.value(of: "a", for: "quiz") == nil)
            // What was written is there when the file is opened anew.
            let other = try PluginDatabase(database: try DatabaseQueue(path: path))
            #expect(try await other.value(of: "a", for: "echo") == "other")
        }
    }

    /// As those of a plugin that has ended are.
    @Test func aCancelledTaskStillWrites() async throws {
        try await Self.with { store, _ in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.cancelAll()
                group.addTask { try await store.put(1, under: "a", for: "p", quota: 10) }
                try await group.waitForAll()
            }
            #expect(try await store.value(of: "a", for: "p") == 1)
        }
    }

    @Test func theQuotaCountsKeysAndValuesInBytes() async throws {
        try await Self.with { store, _ in
            // "ä" has two bytes, and its text four with the quotes.
            try await store.put("ä", under: "ä", for: "p", quota: 6)
            await #expect(throws: PluginDatabase.Failure.full(quota: 6)) {
                try await store.put(1, under: "b", for: "p", quota: 6)
            }
            // What takes the place of something counts alone.
            try await store.put("x", under: "ä", for: "p", quota: 6)
            try await store.put(1, under: "b", for: "q", quota: 2)
            #expect(try await store.keys(from: "", for: "p") == ["ä"])
        }
    }

    @Test func keysAreListedByTheirBeginning() async throws {
        try await Self.with { store, _ in
            for key in ["b", "a/2", "a/1", "a%", "A/3"] { try await store.put(1, under: key, for: "p", quota: 1000) }
            #expect(try await store.keys(from: "a/", for: "p") == ["a/1", "a/2"])
            #expect(try await store.keys(from: "a%", for: "p") == ["a%"])
            #expect(try await store.keys(from: "", for: "p").count == 5)
        }
    }

    @Test(arguments: ["", String(repeating: "k", count: 513)]) func oddKeysAreRefused(key: String) async throws {
        try await Self.with { store, _ in
            await #expect(throws: PluginDatabase.Failure.badKey) {
                try await store.put(1, under: key, for: "p", quota: 10_000)
            }
        }
    }

    /// What Castway wrote before it used GRDB's migrator.
    @Test func theTableOfAnOlderCastwayIsRead() async throws {
        let database = try DatabaseQueue()
        try await database.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE plugin_schema (version INTEGER NOT NULL) STRICT;
                    CREATE TABLE plugin_value (
                        plugin TEXT NOT NULL,
                        key TEXT NOT NULL,
                        value TEXT NOT NULL,
                        PRIMARY KEY (plugin, key)
                    ) STRICT, WITHOUT ROWID;
                    INSERT INTO plugin_schema (version) VALUES (1);
                    INSERT INTO plugin_value VALUES ('quiz', 'a', '{"points":3}');
                    """)
        }
        let store = try PluginDatabase(database: database)
        #expect(try await store.value(of: "a", for: "quiz") == ["points": 3])
        #expect(try await database.read { try Int.fetchAll($0, sql: "SELECT version FROM plugin_schema") } == [1])
    }

    @Test func aNewerTableIsLeftAlone() async throws {
        try await TemporaryFolder.with { folder in
            let database = try DatabaseQueue(path: folder.file("state.db"))
            try await database.write { db in
                try db.execute(sql: "CREATE TABLE plugin_schema (version INTEGER NOT NULL) STRICT")
                try db.execute(sql: "INSERT INTO plugin_schema VALUES (99)")
            }
            #expect(throws: (any Error).self) { try PluginDatabase(database: database) }
        }
    }
}
