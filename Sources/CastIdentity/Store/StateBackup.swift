import GRDB
import Glibc

/// Copies of a state database: made beside a gateway that runs, and brought back while none does.
public enum StateBackup {
    /// Writes all of the database into one new file, mode 0600; also while a gateway works on it.
    ///
    /// - Parameters:
    ///   - directory: The state directory.
    ///   - file: A path at which there is nothing yet.
    ///   - root: Where the root comes from.
    /// - Returns: What is in the copy, as it was read back from it.
    /// - Throws: An error of the database, or ``IdentityError/fileUnwritable(path:reason:)``.
    @discardableResult
    public static func make(
        of directory: String, to file: String, root: RootSource
    ) throws(IdentityError) -> StoredState {
        // A backup of a damaged database could take the place of an older one that is whole.
        _ = try StoredState.check(stateDirectory: directory, root: root)
        guard access(file, F_OK) != 0 else {
            throw .fileUnwritable(path: file, reason: "there is a file already, and a backup replaces none")
        }
        let draft = "\(file).\(getpid()).new"
        defer { unlink(draft) }
        try Self.copy(StateDatabase.path(in: directory), to: draft, owner: nil)
        let state = try Self.inspect(draft, root: root)
        // Unlike rename(2), it fails when another program was quicker.
        guard link(draft, file) == 0 else {
            throw .fileUnwritable(path: file, reason: SystemErrorText.text(errno))
        }
        StateFile.synchronise(Self.folder(of: file))
        return state
    }

    /// Puts a backup in the place of the database, when it is whole, and what was there aside.
    ///
    /// - Parameters:
    ///   - file: What ``make(of:to:root:)`` wrote, or a copy of a whole `castway.db`.
    ///   - directory: The state directory; made as needed.
    ///   - root: Where the root comes from.
    ///   - now: Seconds since 1970, for the name of what is put aside.
    /// - Returns: What is in force now, and where the old database is, if there was one.
    /// - Throws: ``IdentityError/stateInUse(path:process:)`` while a gateway runs, an error of the backup, which changes
    ///   nothing then, or one of the state directory.
    public static func restore(
        _ file: String, to directory: String, root: RootSource, now: Int64
    ) throws(IdentityError) -> (state: StoredState, aside: String?) {
        guard let size = StateFile.size(file) else { throw .fileMissing(path: file) }
        guard size > 0 else { throw .databaseDamaged(path: file, reason: "it is empty") }
        return try Self.alone(in: directory) { () throws(IdentityError) in
            let draft = StateFile.path("\(StateDatabase.fileName).\(getpid()).new", in: directory)
            unlink(draft)
            defer { unlink(draft) }
            try Self.copy(file, to: draft, owner: directory)
            let state = try Self.inspect(draft, root: root)
            let marker = try Self.marker(of: draft)
            let aside = try Self.putAside(in: directory, now: now)
            let path = StateDatabase.path(in: directory)
            guard rename(draft, path) == 0 else {
                throw .databaseFailed(path: path, reason: SystemErrorText.text(errno))
            }
            StateFile.synchronise(directory)
            marker.write(directory: directory)
            return (state, aside)
        }
    }

    /// Puts the database aside, whatever state it is in, so that the next run makes a new root and new identities.
    ///
    /// - Returns: Where it is now; `nil` when there was none.
    /// - Throws: ``IdentityError/stateInUse(path:process:)`` while a gateway runs, or an error of the state directory.
    public static func reset(_ directory: String, now: Int64) throws(IdentityError) -> String? {
        try Self.alone(in: directory) { () throws(IdentityError) in
            let aside = try Self.putAside(in: directory, now: now)
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

    private static func inspect(_ file: String, root: RootSource) throws(IdentityError) -> StoredState {
        let state = try StoredState.read(
            try StateDatabase.copyToMemory(path: file), path: file, marker: nil, root: root, thoroughness: .full)
        guard state.rows["identity_device"] != nil else {
            throw .databaseDamaged(path: file, reason: "it holds no identities of Castway")
        }
        return state
    }

    private static func marker(of file: String) throws(IdentityError) -> StateMarker {
        try StateDatabase.copyToMemory(path: file).reading { try StateMarker($0) }
    }

    /// Renames the database and its write-ahead log, so that together they can be opened under the new name.
    private static func putAside(in directory: String, now: Int64) throws(IdentityError) -> String? {
        let path = StateDatabase.path(in: directory)
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
