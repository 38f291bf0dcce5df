import FoundationEssentials
import GRDB
import Glibc
import NIOCore
package import StateStore

/// The outbox's database: messages until they have arrived, and dead letters. Blocks; for the outbox's threads alone.
struct OutboxStore: Sendable {
    /// The state of a row.
    enum State: Int64, CaseIterable {
        case waiting
        /// It is tried again beside its lane.
        case parked
        case dead
    }

    /// A change of the database, besides new messages.
    enum Change: Sendable {
        case remove(Int64)
        case retry(Int64, attempts: Int, due: Int64, isParked: Bool)
        case bury(Int64, attempts: Int, reason: String, at: Int64)
    }

    /// A total of one destination and state.
    struct Total: Hashable {
        var destination: String
        var state: State
        var count: Int
        var bytes: Int
        /// The time when the oldest was taken, in milliseconds since 1970.
        var oldest: Int64
    }

    static let schema = StateSchema(
        part: "outbox", tables: "the tables of the outbox are",
        steps: [
            StateSchema.sql(
                """
                CREATE TABLE outbox_stamp (stamp INTEGER NOT NULL) STRICT;
                INSERT INTO outbox_stamp VALUES (random());
                CREATE TABLE outbox_message (
                    seq INTEGER PRIMARY KEY AUTOINCREMENT,
                    destination TEXT NOT NULL,
                    device TEXT,
                    type TEXT NOT NULL,
                    taken_at INTEGER NOT NULL,
                    address TEXT,
                    body BLOB NOT NULL,
                    attempts INTEGER NOT NULL,
                    state INTEGER NOT NULL,
                    due INTEGER NOT NULL,
                    reason TEXT,
                    expires INTEGER
                ) STRICT;
                CREATE INDEX outbox_order ON outbox_message (destination, state, seq);
                CREATE INDEX outbox_lane ON outbox_message (destination, device, seq) WHERE state = 0;
                CREATE INDEX outbox_due ON outbox_message (destination, due) WHERE state > 0;
                """)
        ])

    /// The number of messages that are read at once.
    static let pageCount = 256
    private static let pageBytes = 1 << 20
    /// The number of messages one call takes out.
    static let purgeLimit = 1000
    private static let columns = "seq, destination, device, type, taken_at, address, body, attempts, expires"

    let database: DatabaseQueue
    /// The number by which ids of this outbox differ from those of others.
    let stamp: UInt64

    /// Takes an open database, and brings its tables up to date.
    init(_ database: DatabaseQueue) throws {
        try Self.schema.migrate(database)
        self.database = database
        self.stamp = try database.read { db in
            UInt64(bitPattern: try Int64.fetchOne(db, sql: "SELECT stamp FROM outbox_stamp") ?? 0)
        }
    }

    /// Opens the database at a path, which its owner alone may read; what was written is on disk when a call returns.
    static func open(_ path: String) throws -> OutboxStore {
        // SQLite gives its other files the rights of this one.
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        if descriptor < 0, errno == ELOOP { throw DatabaseError(resultCode: .SQLITE_CANTOPEN, message: "it is a link") }
        if descriptor >= 0 { Glibc.close(descriptor) }
        var configuration = Configuration()
        configuration.label = "outbox"
        configuration.prepareDatabase { db in
            try db.execute(
                sql: "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
        }
        return try OutboxStore(DatabaseQueue(path: path, configuration: configuration))
    }

    /// A database that ends with the process.
    static func inMemory() throws -> OutboxStore { try OutboxStore(DatabaseQueue()) }

    func close() throws { try self.database.close() }

    func id(of sequence: Int64) -> String { OutboxID(stamp: self.stamp, sequence: sequence).text }

    // MARK: Writing

    /// Writes changes and new messages, all of them or none. New messages are on disk when it returns; changes alone may be lost with the
    /// system's power, since a message that arrives twice keeps its id, and do not wait for the disk.
    /// - Returns: the new messages with their places and ids.
    func write(_ drafts: [OutboxDraft], _ changes: [Change]) throws -> [OutboxMessage] {
        try self.database.writeWithoutTransaction { db in
            if drafts.isEmpty { try db.execute(sql: "PRAGMA synchronous = NORMAL") }
            defer { if drafts.isEmpty { try? db.execute(sql: "PRAGMA synchronous = FULL") } }
            var messages: [OutboxMessage] = []
            try db.inTransaction {
                for change in changes { try Self.apply(change, db) }
                messages = try drafts.map { try self.insert($0, db) }
                return .commit
            }
            return messages
        }
    }

    private func insert(_ draft: OutboxDraft, _ db: Database) throws -> OutboxMessage {
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO outbox_message (destination, device, type, taken_at, address, body, expires, attempts, state, due)
                VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0, 0)
                """)
        let body = draft.body()
        statement.setUncheckedArguments([
            draft.destination, draft.device, draft.type, draft.takenAt, draft.address, body.data, draft.expires,
        ])
        try statement.execute()
        let sequence = db.lastInsertedRowID
        return OutboxMessage(draft, body, sequence: sequence, id: self.id(of: sequence))
    }

    private static func apply(_ change: Change, _ db: Database) throws {
        let (sql, arguments): (String, StatementArguments) =
            switch change {
            case .remove(let sequence): ("DELETE FROM outbox_message WHERE seq = ?", [sequence])
            case .retry(let sequence, let attempts, let due, let isParked):
                (
                    "UPDATE outbox_message SET attempts = ?, due = ?, state = ? WHERE seq = ?",
                    [attempts, due, (isParked ? State.parked : .waiting).rawValue, sequence]
                )
            case .bury(let sequence, let attempts, let reason, let instant):
                (
                    "UPDATE outbox_message SET attempts = ?, due = ?, state = ?, reason = ? WHERE seq = ?",
                    [attempts, instant, State.dead.rawValue, reason, sequence]
                )
            }
        let statement = try db.cachedStatement(sql: sql)
        statement.setUncheckedArguments(arguments)
        try statement.execute()
    }

    /// Makes dead letters wait again, beside their lanes.
    /// - Returns: how many of which destination, and their bytes.
    func replay(_ selection: OutboxSelection, at instant: Int64) throws -> [Total] {
        try self.database.write { db in
            let (condition, arguments) = selection.sql(self.stamp)
            let totals = try Self.totals(db, where: "state = 2 AND \(condition)", arguments)
            try db.execute(
                sql: """
                    UPDATE outbox_message SET state = 1, due = ?, attempts = 0, reason = NULL, taken_at = ?
                    WHERE state = 2 AND \(condition)
                    """, arguments: [instant, instant] + arguments)
            return totals
        }
    }

    /// Takes messages out, whatever their state.
    /// - Returns: those that were taken out, at most ``purgeLimit``.
    func purge(_ selection: OutboxSelection) throws -> [(message: OutboxMessage, state: State)] {
        try self.database.write { db in
            let (condition, arguments) = selection.sql(self.stamp)
            return try Row.fetchAll(
                db,
                sql: """
                    DELETE FROM outbox_message WHERE seq IN (
                        SELECT seq FROM outbox_message WHERE \(condition) ORDER BY seq LIMIT \(Self.purgeLimit)
                    ) RETURNING \(Self.columns), state
                    """,
                arguments: arguments
            ).map { (self.message($0), State(rawValue: $0[9]) ?? .waiting) }
        }
    }

    /// Takes out dead letters that are too old or too many.
    /// - Returns: how many.
    func forgetDead(of destination: String, before instant: Int64, keeping bytes: Int) throws -> Int {
        try self.database.write { db in
            try db.execute(
                sql: """
                    DELETE FROM outbox_message WHERE seq IN (
                        SELECT seq FROM (
                            SELECT seq, due, sum(length(body)) OVER (ORDER BY due DESC, seq DESC) AS held
                            FROM outbox_message WHERE destination = ? AND state = 2
                        ) WHERE due < ? OR held > ?
                    )
                    """, arguments: [destination, instant, bytes])
            return db.changesCount
        }
    }

    /// Gives room that is not used any more back to the file system, a few pages at a time.
    func shrink() throws {
        try self.database.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA incremental_vacuum(256)") }
    }

    // MARK: Reading

    /// The oldest messages of a lane behind a place.
    /// - Parameter lane: the device, empty for messages about none; nil for all.
    func waiting(
        for destination: String, lane: String?, after sequence: Int64
    ) throws -> (messages: [OutboxMessage], hasMore: Bool) {
        try self.database.read { db in
            let condition = lane == nil ? "" : "AND device IS ?"
            var arguments: StatementArguments = [destination]
            if let lane { arguments += [lane.isEmpty ? nil : lane] }
            let cursor = try Row.fetchCursor(
                db,
                sql: """
                    SELECT \(Self.columns) FROM outbox_message
                    WHERE destination = ? \(condition) AND state = 0 AND seq > ? ORDER BY seq LIMIT ?
                    """, arguments: arguments + [sequence, Self.pageCount + 1])
            return try self.page(cursor)
        }
    }

    func parked(for destination: String, due instant: Int64) throws -> [OutboxMessage] {
        try self.database.read { db in
            let cursor = try Row.fetchCursor(
                db,
                sql: """
                    SELECT \(Self.columns) FROM outbox_message
                    WHERE destination = ? AND state = 1 AND due <= ? ORDER BY due LIMIT ?
                    """, arguments: [destination, instant, Self.pageCount])
            return try self.page(cursor).messages
        }
    }

    private func page(_ cursor: RowCursor) throws -> (messages: [OutboxMessage], hasMore: Bool) {
        var messages: [OutboxMessage] = []
        var bytes = 0
        while let row = try cursor.next() {
            guard messages.count < Self.pageCount, bytes < Self.pageBytes else { return (messages, true) }
            let message = self.message(row)
            bytes += message.cost
            messages.append(message)
        }
        return (messages, false)
    }

    private func message(_ row: Row) -> OutboxMessage {
        let sequence: Int64 = row[0]
        return OutboxMessage(
            sequence: sequence, id: self.id(of: sequence), destination: row[1], device: row[2], type: row[3],
            takenAt: row[4], address: row[5], body: Self.body(row),
            attempts: row[7], expires: row[8])
    }

    private static func body(_ row: Row) -> ByteBuffer {
        let data: Data = row[6]
        return ByteBuffer(bytes: data)
    }

    /// The time when the next parked message of a destination is due, in milliseconds since 1970.
    func nextDue(for destination: String, after instant: Int64) throws -> Int64? {
        try self.database.read { db in
            try Int64.fetchOne(
                db, sql: "SELECT min(due) FROM outbox_message WHERE destination = ? AND state = 1 AND due > ?",
                arguments: [destination, instant])
        }
    }

    func lanes(of destination: String) throws -> [String] {
        try self.database.read { db in
            try String.fetchAll(
                db,
                sql: "SELECT DISTINCT coalesce(device, '') FROM outbox_message WHERE destination = ? AND state = 0",
                arguments: [destination])
        }
    }

    func count(for destination: String, device: String) throws -> Int {
        try self.database.read { db in
            try Int.fetchOne(
                db,
                sql: "SELECT count(*) FROM outbox_message WHERE destination = ? AND device = ? AND state = 0",
                arguments: [destination, device]) ?? 0
        }
    }

    /// The totals by destination and state.
    func totals() throws -> [Total] {
        try self.database.read { try Self.totals($0, where: "1", []) }
    }

    private static func totals(
        _ db: Database, where condition: String, _ arguments: StatementArguments
    ) throws -> [Total] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT destination, state, count(*),
                    sum(length(body) + length(CAST(coalesce(address, '') AS BLOB))), min(taken_at)
                FROM outbox_message WHERE \(condition) GROUP BY destination, state
                """, arguments: arguments
        ).compactMap { row in
            let count: Int = row[2]
            let bytes: Int = row[3]
            return State(rawValue: row[1]).map {
                Total(
                    destination: row[0], state: $0, count: count, bytes: bytes + count * OutboxMessage.overhead,
                    oldest: row[4])
            }
        }
    }

    /// Messages as they are shown, oldest first.
    func list(_ selection: OutboxSelection, after sequence: Int64, limit: Int) throws -> [OutboxEntry] {
        try self.database.read { db in
            let (condition, arguments) = selection.sql(self.stamp)
            return try Row.fetchAll(
                db,
                sql: """
                    SELECT \(Self.columns), state, due, reason FROM outbox_message
                    WHERE \(condition) AND seq > ? ORDER BY seq LIMIT ?
                    """, arguments: arguments + [sequence, limit]
            ).map { row in
                OutboxEntry(
                    message: self.message(row), state: State(rawValue: row[9]) ?? .waiting, due: row[10],
                    reason: row[11])
            }
        }
    }
}

/// The tables of the outbox, for backups.
package enum OutboxTables {
    package static var schema: StateSchema { OutboxStore.schema }
}
