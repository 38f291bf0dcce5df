import GRDB
import Glibc
package import StateStore

/// Copies of the databases of a state directory: made beside a gateway that runs, and brought back while none does.
package enum StateBackup {
    /// The tables of the parts of Castway in a state directory.
    package struct Parts: Sendable {
        /// The tables in the state database, other than those of identities.
        package let schemas: [StateSchema]
        /// The tables of the outbox, which is a database of its own; nil leaves it out.
        package let outbox: StateSchema?

        package init(schemas: [StateSchema] = [], outbox: StateSchema? = nil) {
            (self.schemas, self.outbox) = (schemas, outbox)
        }
    }

    private static let outboxName = "outbox.db"

    /// The path of the outbox's backup that belongs to a backup.
    private static func outbox(beside file: String) -> String { "\(file).outbox" }

    /// Writes all of the state into a new file, mode 0600, and the outbox, if there is one, into another beside it, whose name ends in
    /// `.outbox`; also while a gateway works on them.
    ///
    /// - Parameter file: A path at which there is nothing yet.
    /// - Returns: What is in the copy, as it was read back from it, and where the copy of the outbox is.
    /// - Throws: An error of the database, or ``IdentityError/fileUnwritable(path:reason:)``.
    @discardableResult
    package static func make(
        of directory: String, to file: String, root: RootSource, parts: Parts = Parts()
    ) throws(IdentityError) -> (state: StoredState, outbox: String?) {
        // A backup of a damaged database could take the place of an older one that is whole.
        _ = try StoredState.check(stateDirectory: directory, root: root)
        let source = StateFile.path(Self.outboxName, in: directory)
        let outbox = parts.outbox != nil && (StateFile.size(source) ?? 0) > 0 ? Self.outbox(beside: file) : nil
        for file in [file, outbox].compactMap({ $0 }) where access(file, F_OK) == 0 {
            throw .fileUnwritable(path: file, reason: "there is a file already, and a backup replaces none")
        }
        let draft = "\(file).\(getpid()).new"
        defer { unlink(draft) }
        try Self.copy(StateDatabase.path(in: directory), to: draft, owner: nil)
        let state = try Self.inspect(draft, root: root, parts)
        if let outbox, let schema = parts.outbox {
            let draft = "\(outbox).\(getpid()).new"
            defer { unlink(draft) }
            try Self.copy(source, to: draft, owner: nil)
            try Self.inspect(draft, schema)
            try Self.link(draft, to: outbox)
        }
        try Self.link(draft, to: file)
        StateFile.synchronise(Self.folder(of: file))
        return (state, outbox)
    }

    private static func link(_ draft: String, to file: String) throws(IdentityError) {
        // Unlike rename(2), it fails when another program was quicker.
        guard Glibc.link(draft, file) == 0 else {
            throw .fileUnwritable(path: file, reason: SystemErrorText.text(errno))
        }
    }

    /// Puts a backup in the place of the database, when it is whole, and what was there aside; the same with the backup of the outbox
    /// that is beside it. Without one the outbox stays.
    ///
    /// - Parameters:
    ///   - file: What ``make(of:to:root:)`` wrote, or a copy of a whole `castway.db`.
    ///   - directory: The state directory; made as needed.
    ///   - now: Seconds since 1970, for the name of what is put aside.
    /// - Returns: What is in force now, where the old database is, if there was one, and whether the outbox was brought back.
    /// - Throws: ``IdentityError/stateInUse(path:process:)`` while a gateway runs, an error of the backup, which changes
    ///   nothing then, or one of the state directory.
    package static func restore(
        _ file: String, to directory: String, root: RootSource, now: Int64, parts: Parts = Parts()
    ) throws(IdentityError) -> (state: StoredState, aside: String?, hasOutbox: Bool) {
        guard let size = StateFile.size(file) else { throw .fileMissing(path: file) }
        guard size > 0 else { throw .backupUnusable(path: file, reason: "it is empty") }
        return try Self.alone(in: directory) { () throws(IdentityError) in
            let draft = StateFile.path("\(StateDatabase.fileName).\(getpid()).new", in: directory)
            let outboxDraft = StateFile.path("\(Self.outboxName).\(getpid()).new", in: directory)
            for draft in [draft, outboxDraft] { unlink(draft) }
            defer { for draft in [draft, outboxDraft] { unlink(draft) } }
            let state = try Self.judging(file) { () throws(IdentityError) in
                try Self.copy(file, to: draft, owner: directory)
                return try Self.inspect(draft, root: root, parts)
            }
            let outbox = Self.outbox(beside: file)
            var hasOutbox = false
            if let schema = parts.outbox, (StateFile.size(outbox) ?? 0) > 0 {
                try Self.judging(outbox) { () throws(IdentityError) in
                    try Self.copy(outbox, to: outboxDraft, owner: directory)
                    try Self.inspect(outboxDraft, schema)
                }
                hasOutbox = true
            }
            let marker = try Self.marker(of: draft)
            let aside = try Self.replace(StateDatabase.fileName, in: directory, with: draft, now: now)
            if hasOutbox { _ = try Self.replace(Self.outboxName, in: directory, with: outboxDraft, now: now) }
            StateFile.synchronise(directory)
            marker.write(directory: directory)
            return (state, aside, hasOutbox)
        }
    }

    /// Puts a database aside, and a draft in its place.
    /// - Returns: Where the old one is now; `nil` when there was none.
    private static func replace(
        _ name: String, in directory: String, with draft: String, now: Int64
    ) throws(IdentityError) -> String? {
        let path = StateFile.path(name, in: directory)
        let aside = try Self.putAside(path, now: now)
        guard rename(draft, path) == 0 else {
            throw .databaseFailed(path: path, reason: SystemErrorText.text(errno))
        }
        return aside
    }

    /// Does something with a backup, and says what is wrong with it as of a backup.
    private static func judging<Value>(
        _ file: String, _ body: () throws(IdentityError) -> Value
    ) throws(IdentityError) -> Value {
        do throws(IdentityError) {
            return try body()
        } catch {
            switch error {
            case .databaseDamaged(_, let reason): throw .backupUnusable(path: file, reason: "it is damaged: \(reason)")
            case .databaseTooNew: throw .backupUnusable(path: file, reason: "a newer Castway has made it")
            case .databaseFailed(_, let reason): throw .backupUnusable(path: file, reason: reason)
            default: throw error
            }
        }
    }

    /// Puts the database aside, whatever state it is in, so that the next run makes a new root and new identities.
    ///
    /// - Returns: Where it is now; `nil` when there was none.
    /// - Throws: ``IdentityError/stateInUse(path:process:)`` while a gateway runs, or an error of the state directory.
    package static func reset(_ directory: String, now: Int64) throws(IdentityError) -> String? {
        try Self.alone(in: directory) { () throws(IdentityError) in
            let aside = try Self.putAside(StateDatabase.path(in: directory), now: now)
            unlink(StateFile.path(StateMarker.fileName, in: directory))
            StateFile.synchronise(directory)
            return aside
        }
    }

    private static func alone<Value>(
        in directory: String, _ body: () throws(IdentityError) -> Value
    ) throws(IdentityError) -> Value {
        guard let lock = try StateLock.acquire(directory: directory) else {
            throw .stateDirectoryReadOnly(path: directory)
        }
        defer { lock.release() }
        return try body()
    }

    /// Writes a whole and compact copy, whatever part of the database is in its write-ahead log.
    private static func copy(_ source: String, to file: String, owner: String?) throws(IdentityError) {
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .fileUnwritable(path: file, reason: SystemErrorText.text(errno)) }
        if let owner { StateFile.giveToOwner(of: owner, descriptor: descriptor) }
        close(descriptor)
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(StateDatabase.busyTimeout)
        do {
            let database = try DatabaseQueue(path: StateDatabase.uri(of: source), configuration: configuration)
            try database.writeWithoutTransaction { try $0.execute(sql: "VACUUM INTO ?", arguments: [file]) }
            try database.close()
        } catch {
            let error = IdentityError(database: error, path: source)
            guard case .databaseNotWritable(_, let reason) = error else { throw error }
            throw .fileUnwritable(path: file, reason: reason)
        }
        guard StateFile.synchronise(file) else {
            throw .fileUnwritable(path: file, reason: SystemErrorText.text(errno))
        }
    }

    private static func inspect(
        _ file: String, root: RootSource, _ parts: Parts
    ) throws(IdentityError) -> StoredState {
        let copy = try StateDatabase.copyToMemory(path: file)
        let state = try StoredState.read(copy, path: file, marker: nil, root: root, thoroughness: .full)
        guard state.rows["identity_device"] != nil else {
            throw .databaseDamaged(path: file, reason: "it holds no identities of Castway")
        }
        try Self.checkTables(of: copy, path: file, parts.schemas) { try StateSchema.migrateIdentities($0) }
        return state
    }

    /// Checks a copy of the outbox, which may be changed.
    private static func inspect(_ file: String, _ schema: StateSchema) throws(IdentityError) {
        do {
            let database = try DatabaseQueue(path: file)
            defer { try? database.close() }
            try database.read { db in
                let verdict = try String.fetchOne(db, sql: "PRAGMA integrity_check(1)") ?? "no answer"
                guard verdict == "ok" else { throw IdentityError.databaseDamaged(path: file, reason: verdict) }
            }
            try Self.checkTables(of: database, path: file, [schema])
        } catch {
            throw IdentityError(database: error, path: file)
        }
    }

    /// Checks that a copy, brought up to date, has all the tables that a new database has, and nothing that acts by itself.
    /// - Parameter migrate: brings further tables up to date.
    private static func checkTables(
        of copy: any DatabaseWriter, path: String, _ schemas: [StateSchema],
        _ migrate: (any DatabaseWriter) throws -> Void = { _ in }
    ) throws(IdentityError) {
        do {
            let acting = try copy.read { db in
                try Row.fetchOne(db, sql: "SELECT type, name FROM sqlite_master WHERE type IN ('trigger', 'view')")
            }
            if let acting {
                let (type, name): (String, String) = (acting["type"], acting["name"])
                throw IdentityError.databaseFailed(
                    path: path, reason: "it has the \(type) \(name), and Castway makes none")
            }
            let reference = try DatabaseQueue()
            for database in [reference, copy] as [any DatabaseWriter] {
                try migrate(database)
                for schema in schemas { try schema.migrate(database) }
            }
            let present = try copy.read { try StateMarker.tables($0) }
            for (table, columns) in try reference.read({ try StateMarker.tables($0) }).sorted(by: { $0.key < $1.key })
            where !Set(columns).isSubset(of: present[table] ?? []) {
                throw IdentityError.databaseDamaged(
                    path: path, reason: "the table \(table) is missing, or columns of it are")
            }
        } catch {
            throw IdentityError(database: error, path: path)
        }
    }

    private static func marker(of file: String) throws(IdentityError) -> StateMarker {
        try StateDatabase.copyToMemory(path: file).reading { try StateMarker($0) }
    }

    /// Renames the database and its write-ahead log, so that together they can be opened under the new name.
    private static func putAside(_ path: String, now: Int64) throws(IdentityError) -> String? {
        let endings = ["-wal", "-shm", ""].filter { access(path + $0, F_OK) == 0 }
        guard !endings.isEmpty else { return nil }
        var aside = "\(path).\(now).old"
        var count = 1
        while access(aside, F_OK) == 0 || access(aside + "-wal", F_OK) == 0 {
            count += 1
            aside = "\(path).\(now).\(count).old"
        }
        // The log first: one that stays behind would be taken for the next database's.
        for ending in endings {
            guard rename(path + ending, aside + ending) == 0 else {
                throw .databaseFailed(path: path, reason: "cannot be put aside: \(SystemErrorText.text(errno))")
            }
        }
        return aside
    }

    private static func folder(of file: String) -> String {
        guard let slash = file.lastIndex(of: "/") else { return "." }
        return slash == file.startIndex ? "/" : String(file[..<slash])
    }
}
