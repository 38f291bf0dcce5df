package import GRDB
import NIOPosix
import Synchronization
import SystemPrimitives

/// Keeps one record for each device in a table of the state database, and writes without holding up its callers.
///
/// How it works:
///
/// 1. A change waits in memory; it takes the place of an earlier one of the same device.
/// 2. One thread of the pool takes all changes that wait, writes them in their order and in one transaction, and looks again until
///    none waits. The database synchronises at every commit, so what is written survives a loss of power.
/// 3. When a transaction fails, its changes wait again, in front of newer ones, and are tried with the next change. The owner learns of
///    the first failure and of the first success after it, and of no failure between.
package final class RecordStore<Record: Sendable>: Sendable {
    /// The new record of a device; nil to remove the one that there is.
    private typealias Change = (device: String, record: Record?)

    private struct State {
        var changes: [Change] = []
        /// Opens when the thread has nothing to write any more; nil while there is no thread.
        var writing: Latch?
        var isFailing = false
    }

    /// More devices than a gateway has; beyond it the oldest change is given up.
    private static var limit: Int { 16_384 }

    private let database: any DatabaseWriter
    private let table: String
    private let details: @Sendable (Record) -> String
    private let report: @Sendable (_ fault: String?) -> Void
    private let state = Mutex(State())

    /// Takes the state database and brings the table up to date; blocks.
    /// - Parameters:
    ///   - schema: made by ``StateSchema/records(part:tables:)``.
    ///   - details: encodes a record, on the thread that writes.
    ///   - report: called with the reason when writing begins to fail, and with nil when it works again.
    /// - Throws: when the table cannot be made, or is a newer Castway's.
    package init(
        _ database: any DatabaseWriter, _ schema: StateSchema, details: @escaping @Sendable (Record) -> String,
        report: @escaping @Sendable (_ fault: String?) -> Void
    ) throws {
        self.database = database
        self.table = schema.recordTable
        self.details = details
        self.report = report
        try schema.migrate(database)
    }

    /// Reads everything that is written, in the order of the devices' names; blocks.
    /// - Throws: when the database cannot be read.
    package func load() throws -> [(device: String, details: String)] {
        try self.database.read { db in
            try Row.fetchAll(db, sql: "SELECT device, details FROM \(self.table) ORDER BY device").map { row in
                (device: row["device"], details: row["details"])
            }
        }
    }

    /// Writes the record of a device soon, in the place of what was written before.
    /// - Parameter record: nil to remove it.
    package func keep(_ record: Record?, of device: String) {
        let begins = self.state.withLock { state in
            state.changes.removeAll { $0.device == device }
            state.changes.removeFirst(max(0, state.changes.count - Self.limit + 1))
            state.changes.append((device, record))
            guard state.writing == nil else { return false }
            state.writing = Latch()
            return true
        }
        if begins { NIOThreadPool.singleton.submit { _ in self.write() } }
    }

    /// Waits until every change so far is on disk, or has failed.
    package func settle() async { await self.state.withLock { $0.writing }?.wait() }

    /// Writes until no change waits, or a transaction has failed.
    private func write() {
        var hasFailed = false
        while let batch = self.nextBatch(unless: hasFailed) {
            do {
                try self.write(batch)
                self.note(nil)
            } catch {
                hasFailed = true
                self.putBack(batch)
                self.note(error)
            }
        }
    }

    /// Takes all changes that wait.
    /// - Returns: nil when there is nothing to write now; the next change needs another thread.
    private func nextBatch(unless hasFailed: Bool) -> [Change]? {
        let (batch, writing) = self.state.withLock { state -> ([Change]?, Latch?) in
            guard hasFailed || state.changes.isEmpty else {
                defer { state.changes = [] }
                return (state.changes, nil)
            }
            defer { state.writing = nil }
            return (nil, state.writing)
        }
        writing?.open()
        return batch
    }

    private func write(_ batch: [Change]) throws {
        try self.database.write { db in
            for (device, record) in batch {
                guard let record else {
                    try db.execute(sql: "DELETE FROM \(self.table) WHERE device = ?", arguments: [device])
                    continue
                }
                try db.execute(
                    sql: """
                        INSERT INTO \(self.table) (device, details) VALUES (?, ?)
                        ON CONFLICT (device) DO UPDATE SET details = excluded.details
                        """, arguments: [device, self.details(record)])
            }
        }
    }

    private func putBack(_ batch: [Change]) {
        self.state.withLock { state in
            let newer = Set(state.changes.map(\.device))
            state.changes.insert(contentsOf: batch.filter { !newer.contains($0.device) }, at: 0)
        }
    }

    private func note(_ error: (any Error)?) {
        let isNews = self.state.withLock { state in
            defer { state.isFailing = error != nil }
            return state.isFailing != (error != nil)
        }
        if isNews { self.report(error.map { DatabaseErrorText.words($0) }) }
    }
}

extension StateSchema {
    /// Describes the table of a ``RecordStore``: `PART_record`.
    /// - Parameters:
    ///   - part: as for ``init(part:tables:steps:)``.
    ///   - tables: as for ``init(part:tables:steps:)``.
    package static func records(part: String, tables: String) -> StateSchema {
        let table = """
            CREATE TABLE \(part)_record (
                device TEXT PRIMARY KEY,
                details TEXT NOT NULL
            ) STRICT;
            """
        return StateSchema(part: part, tables: tables, steps: [Self.sql(table)])
    }

    fileprivate var recordTable: String { "\(self.part)_record" }
}
