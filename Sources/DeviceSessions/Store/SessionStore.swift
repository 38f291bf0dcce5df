import CastWire
public import GRDB
public import Logging
public import NIOPosix
package import StateStore
import Synchronization

/// Writes sessions down in the state database, which synchronises at every commit, so they survive a loss of power.
///
/// Writing happens on a thread of the pool, one transaction at a time and in order; of several writes about one device
/// that wait, the last one is done. A disk that fails is said once; what could not be written is tried again with what
/// comes next.
public final class SessionStore: SessionRecordStore {
    private enum Change {
        case save(SessionRecord)
        case remove
    }

    private struct State {
        /// What is not on disk yet, by device, in the order in which it was asked for.
        var changes: [(device: String, change: Change)] = []
        var isWriting = false
        var isFailing = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// The tables.
    package static let schema = StateSchema(
        part: "session", tables: "the session tables are",
        steps: [
            StateSchema.sql(
                """
                CREATE TABLE session_record (
                    device TEXT PRIMARY KEY,
                    details TEXT NOT NULL
                ) STRICT;
                """)
        ])

    /// More devices than one gateway has sessions with; beyond it the oldest change is given up.
    private static let limit = 4096

    private let database: any DatabaseWriter
    private let pool: NIOThreadPool
    private let logger: Logger
    private let state = Mutex(State())

    /// Takes the state database and brings its session tables up to date; blocks.
    /// - Parameter pool: where writing happens.
    /// - Throws: when the tables cannot be made, or are a newer Castway's.
    public init(database: any DatabaseWriter, pool: NIOThreadPool = .singleton, logger: Logger) throws {
        self.database = database
        self.pool = pool
        self.logger = logger
        try Self.schema.migrate(database)
    }

    /// Writes a session down soon, in the place of what was written of its device.
    public func save(_ record: SessionRecord) {
        self.add(.save(record), for: record.device)
    }

    /// Strikes out soon what was written of a device.
    public func remove(device: String) {
        self.add(.remove, for: device)
    }

    /// Everything that is written down, in the order of the devices' names; blocks. A record that cannot be read is left
    /// out, and said.
    /// - Throws: when the database cannot be read.
    public func load() throws -> [SessionRecord] {
        let rows = try self.database.read { db in
            try Row.fetchAll(db, sql: "SELECT device, details FROM session_record ORDER BY device").map { row in
                (device: row["device"] as String, details: row["details"] as String)
            }
        }
        return rows.compactMap { row in
            if let json = try? JSONReader.read(row.details).objectValue,
                let record = SessionRecord(device: row.device, json: json)
            {
                return record
            }
            self.logger.warning(
                "A stored session cannot be read, and is left out", metadata: ["target": "\(row.device)"])
            return nil
        }
    }

    /// Waits until everything that was asked for is on disk, or has failed.
    public func settle() async {
        await withCheckedContinuation { continuation in
            let isIdle = self.state.withLock { state in
                if !state.isWriting { return true }
                state.waiting.append(continuation)
                return false
            }
            if isIdle { continuation.resume() }
        }
    }

    private func add(_ change: Change, for device: String) {
        let begins = self.state.withLock { state in
            state.changes.removeAll { $0.device == device }
            if state.changes.count >= Self.limit { state.changes.removeFirst() }
            state.changes.append((device: device, change: change))
            defer { state.isWriting = true }
            return !state.isWriting
        }
        guard begins else { return }
        self.pool.submit { poolState in
            if case .active = poolState { self.write() } else { self.finish() }
        }
    }

    /// Writes until nothing is left.
    private func write() {
        while true {
            let next = self.state.withLock { state in state.changes.isEmpty ? nil : state.changes.removeFirst() }
            guard let next else { break }
            do {
                try self.write(next.change, for: next.device)
                self.report(nil)
            } catch {
                self.state.withLock { state in
                    // Unless something newer has been asked for meanwhile.
                    guard !state.changes.contains(where: { $0.device == next.device }) else { return }
                    state.changes.insert(next, at: 0)
                }
                self.report(error)
                break
            }
        }
        self.finish()
    }

    private func finish() {
        let (waiting, more) = self.state.withLock { state in
            // Something may have come between the last look and now; a failure waits for what comes next.
            let more = !state.changes.isEmpty && !state.isFailing
            state.isWriting = more
            defer { if !more { state.waiting = [] } }
            return (more ? [] : state.waiting, more)
        }
        for continuation in waiting { continuation.resume() }
        if more { self.write() }
    }

    private func write(_ change: Change, for device: String) throws {
        try self.database.write { db in
            switch change {
            case .save(let record):
                try db.execute(
                    sql: """
                        INSERT INTO session_record (device, details) VALUES (?, ?)
                        ON CONFLICT (device) DO UPDATE SET details = excluded.details
                        """, arguments: [device, JSONValue.object(record.json).text])
            case .remove: try db.execute(sql: "DELETE FROM session_record WHERE device = ?", arguments: [device])
            }
        }
    }

    /// Once is enough for the log, until it works again.
    private func report(_ error: (any Error)?) {
        let wasFailing = self.state.withLock { state in
            defer { state.isFailing = error != nil }
            return state.isFailing
        }
        if let error {
            guard !wasFailing else { return }
            self.logger.error(
                "Sessions cannot be written down; they would not outlive the gateway",
                metadata: ["reason": "\(DatabaseErrorText.words(error))"])
        } else if wasFailing {
            self.logger.notice("Sessions are written down again")
        }
    }
}
