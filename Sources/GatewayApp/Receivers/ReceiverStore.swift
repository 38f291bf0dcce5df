import BuiltInReceiver
import CastIdentity
import CastWire
import GRDB
import Logging
import NIOPosix
import StateStore
import Synchronization
import VirtualDevices

/// Keeps what built-in receivers run in the state database, so that it goes on after the next start.
///
/// Writing happens on a thread of the pool; of several records of one device that wait, the last one is written. A disk that fails is said
/// once; what could not be written is tried again with what comes next.
final class ReceiverStore: ReceiverRecords {
    private struct State {
        /// What earlier runs have left, until a device takes it.
        var left: [String: JSONObject] = [:]
        /// What is not on disk yet; nil for a device that runs nothing.
        var pending: [String: JSONObject?] = [:]
        var isWriting = false
        var isFailing = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    static let schema = StateSchema(
        part: "receiver", tables: "the table of built-in receivers is",
        steps: [
            StateSchema.sql(
                """
                CREATE TABLE receiver_record (
                    device TEXT PRIMARY KEY,
                    details TEXT NOT NULL
                ) STRICT;
                """)
        ])

    private let database: any DatabaseWriter
    private let isGatewayGoing: @Sendable () -> Bool
    private let logger: Logger
    private let state = Mutex(State())

    /// Takes the state database, brings its table up to date, and reads it; blocks.
    /// - Parameters:
    ///   - devices: the names of the devices that there are; what is kept of others is struck out.
    ///   - isGatewayGoing: whether devices stop with the gateway, rather than by a reload that has removed them.
    /// - Throws: when the table cannot be made or read, or is a newer Castway's.
    init(
        _ database: any DatabaseWriter, devices: Set<String>, logger: Logger,
        isGatewayGoing: @escaping @Sendable () -> Bool
    ) throws {
        self.database = database
        self.isGatewayGoing = isGatewayGoing
        self.logger = logger
        try Self.schema.migrate(database)
        let rows = try database.read { db in
            try Row.fetchAll(db, sql: "SELECT device, details FROM receiver_record").map { row in
                (device: row["device"] as String, details: row["details"] as String)
            }
        }
        for row in rows {
            let record = try? JSONReader.read(row.details).objectValue
            if let record, devices.contains(row.device) {
                self.state.withLock { $0.left[row.device] = record }
            } else {
                self.keep(nil, of: row.device)
            }
        }
    }

    func take(device: String) -> JSONObject? { self.state.withLock { $0.left.removeValue(forKey: device) } }

    func keep(_ record: JSONObject?, of device: String) {
        let begins = self.state.withLock { state in
            state.pending[device] = .some(record)
            defer { state.isWriting = true }
            return !state.isWriting
        }
        guard begins else { return }
        NIOThreadPool.singleton.submit { poolState in
            if case .active = poolState { self.write() } else { self.finish() }
        }
    }

    func end(_ record: JSONObject?, of device: String) { self.keep(self.isGatewayGoing() ? record : nil, of: device) }

    /// Waits until everything that was to be kept is on disk, or has failed.
    func settle() async {
        await withCheckedContinuation { continuation in
            let isIdle = self.state.withLock { state in
                if state.isWriting { state.waiting.append(continuation) }
                return !state.isWriting
            }
            if isIdle { continuation.resume() }
        }
    }

    /// Writes until nothing is left.
    private func write() {
        while true {
            let batch = self.state.withLock { state in
                defer { state.pending = [:] }
                return state.pending
            }
            guard !batch.isEmpty else { break }
            do {
                try self.write(batch)
                self.report(nil)
            } catch {
                self.state.withLock { $0.pending.merge(batch) { newer, _ in newer } }
                self.report(error)
                break
            }
        }
        self.finish()
    }

    private func write(_ batch: [String: JSONObject?]) throws {
        try self.database.write { db in
            for (device, record) in batch {
                guard let record else {
                    try db.execute(sql: "DELETE FROM receiver_record WHERE device = ?", arguments: [device])
                    continue
                }
                try db.execute(
                    sql: """
                        INSERT INTO receiver_record (device, details) VALUES (?, ?)
                        ON CONFLICT (device) DO UPDATE SET details = excluded.details
                        """, arguments: [device, JSONValue.object(record).text])
            }
        }
    }

    private func finish() {
        let (waiting, more) = self.state.withLock { state in
            // Something may have come between the last look and now; a failure waits for what comes next.
            let more = !state.pending.isEmpty && !state.isFailing
            state.isWriting = more
            defer { if !more { state.waiting = [] } }
            return (more ? [] : state.waiting, more)
        }
        for continuation in waiting { continuation.resume() }
        if more { self.write() }
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
                "What built-in receivers run cannot be written down; it would not outlive the gateway",
                metadata: ["reason": "\(error)"])
        } else if wasFailing {
            self.logger.notice("What built-in receivers run is written down again")
        }
    }
}

extension ReceiverStore {
    /// Opens the store of a gateway; nil, which is said, when that is not possible. Blocks.
    static func open(_ identities: IdentityStore, _ context: GatewayContext) -> ReceiverStore? {
        let logger = context.makeLogger("VirtualDevice")
        let devices = context.configuration.current.virtualDevices.filter { $0.realDevice == nil }
        do {
            return try ReceiverStore(identities.database, devices: Set(devices.map(\.name)), logger: logger) {
                [lifecycle = context.lifecycle] in lifecycle.phase != .ready
            }
        } catch {
            logger.error(
                "What built-in receivers run cannot be written down; it would not outlive the gateway",
                metadata: ["reason": "\(error)"])
            return nil
        }
    }
}
