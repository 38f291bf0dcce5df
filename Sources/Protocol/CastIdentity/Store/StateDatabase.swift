package import GRDB
import Glibc
import StateStore
import SystemPrimitives

/// The one file in which Castway keeps what must outlive it: identities, sessions, values of plugins.
///
/// How it works: opening makes the directory (0700) and the file (0600) before SQLite does, since SQLite would make the file
/// readable to others. All of it happens under the lock of the directory, because two processes that switch a new file to
/// write-ahead mode at once fail with "locked". Then the file is in write-ahead mode and synchronised at every commit, so a
/// commit survives a loss of power, and a second process may read meanwhile. What the file held is written down beside it
/// (``StateMarker``), so that a lost or damaged file is an error and never silently replaced. Where the directory takes no
/// writing, ``copyToMemory(directory:)`` gives the same contents without a file. The tables belong to the parts of Castway,
/// each with a ``StateSchema``.
package enum StateDatabase {
    package static let fileName = "castway.db"

    /// The time a statement waits for another process before it fails, in seconds.
    static let busyTimeout = 5.0

    /// Makes the state directory and the database in it as needed and opens the database.
    ///
    /// The directory is made with mode 0700 (an existing one keeps its mode); the file has mode 0600, for it holds
    /// private keys. It is in write-ahead mode and synchronised at every commit, so it survives a loss of power. Two
    /// processes may have it open.
    ///
    /// - Parameter root: Where the root comes from, to check that everything that was there still is; `nil` checks nothing.
    /// - Throws: One of the errors named after the state directory or the database.
    package static func open(
        directory: String, verifying root: RootSource? = nil
    ) throws(IdentityError) -> any DatabaseWriter {
        try Self.makeDirectory(directory)
        let path = Self.path(in: directory)
        // Two processes that switch a new file to write-ahead mode at once would fail with "locked".
        do {
            return try DirectoryLock.with(directory) {
                if let root { try Self.verify(directory: directory, root: root) }
                try Self.prepareFile(path, directory: directory)
                return try Self.connect(path)
            }
        } catch {
            throw IdentityError(database: error, path: path)
        }
    }

    static func path(in directory: String) -> String {
        StateFile.path(Self.fileName, in: directory)
    }

    /// Writes without changing anything, which a full disk refuses before something is lost for it.
    /// - Throws: One of the errors named after the database.
    static func checkWriting(_ database: any DatabaseWriter) throws(IdentityError) {
        try database.writing { db in
            let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
            try db.execute(sql: "PRAGMA user_version = \(version)")
        }
    }

    private static func connect(_ path: String) throws(IdentityError) -> any DatabaseWriter {
        var configuration = Configuration()
        configuration.journalMode = .wal
        configuration.busyMode = .timeout(Self.busyTimeout)
        configuration.label = "castway.state"
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            return queue
        } catch {
            throw IdentityError(database: error, path: path)
        }
    }

    static func makeDirectory(_ directory: String) throws(IdentityError) {
        guard !directory.isEmpty else { throw .stateDirectoryUnusable(path: directory, reason: "the path is empty") }
        var path = directory.hasPrefix("/") ? "" : "."
        for component in directory.split(separator: "/") {
            path += "/" + component
            guard mkdir(path, 0o700) != 0, errno != EEXIST else { continue }
            let code = errno
            // A parent that exists may be one that cannot be written to, and that is no obstacle.
            if Self.isDirectory(path) { continue }
            throw Self.isPermission(code)
                ? .stateDirectoryReadOnly(path: directory)
                : .stateDirectoryUnusable(path: directory, reason: SystemErrorText.text(code))
        }
        guard Self.isDirectory(directory) else {
            throw .stateDirectoryUnusable(path: directory, reason: SystemErrorText.text(ENOTDIR))
        }
        guard access(directory, R_OK | W_OK | X_OK) == 0 else {
            let code = errno
            throw Self.isPermission(code)
                ? .stateDirectoryReadOnly(path: directory)
                : .stateDirectoryUnusable(path: directory, reason: SystemErrorText.text(code))
        }
    }

    /// Makes the file with the right mode before SQLite would make it with the wrong one, or corrects its mode.
    ///
    /// An existing file is never opened here: closing it again would drop the locks that this process may hold on it
    /// through another connection.
    private static func prepareFile(_ path: String, directory: String) throws(IdentityError) {
        let file = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if file >= 0 {
            close(file)
            return
        }
        let code = errno
        guard code == EEXIST else {
            throw Self.isPermission(code)
                ? .stateDirectoryReadOnly(path: directory)
                : .stateDirectoryUnusable(path: directory, reason: SystemErrorText.text(code))
        }
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw .databaseFailed(path: path, reason: SystemErrorText.text(errno))
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .databaseFailed(path: path, reason: "it is not a file")
        }
        if status.st_mode & 0o077 != 0, chmod(path, 0o600) != 0 {
            throw .databaseFailed(
                path: path, reason: "other users may read it, and its mode can not be changed to 0600")
        }
    }

    private static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private static func isPermission(_ code: Int32) -> Bool {
        code == EACCES || code == EPERM || code == EROFS
    }
}

extension StateDatabase {
    /// Reads the database in `directory` into memory, for a directory or a disk that takes no writing.
    ///
    /// What is changed in the copy is lost with it.
    ///
    /// - Throws: One of the errors named after the database, when there is none or it cannot be read.
    static func copyToMemory(directory: String) throws(IdentityError) -> any DatabaseWriter {
        try Self.copyToMemory(path: Self.path(in: directory))
    }

    /// Reads a database into memory, as ``copyToMemory(directory:)`` does.
    static func copyToMemory(path: String) throws(IdentityError) -> any DatabaseWriter {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(Self.busyTimeout)
        do {
            let file = try DatabaseQueue(path: Self.uri(of: path), configuration: configuration)
            var memory = Configuration()
            memory.label = "castway.state"
            let copy = try DatabaseQueue(configuration: memory)
            try file.backup(to: copy)
            return copy
        } catch {
            throw IdentityError(database: error, path: path)
        }
    }

    /// The URI by which SQLite finds the file without writing beside it.
    ///
    /// A write-ahead log that holds something can be read only together with its index, which must be there then.
    /// Without one the file is all there is; SQLite would make the two files nevertheless, unless told that nothing
    /// will change.
    static func uri(of path: String) -> String {
        var status = stat()
        let hasLog = stat(path + "-wal", &status) == 0 && status.st_size > 0
        return "file:" + path.percentEncoded(keeping: "/") + (hasLog ? "?mode=ro" : "?mode=ro&immutable=1")
    }
}

extension DatabaseWriter {
    /// Reads in one transaction, with failures as ``IdentityError``.
    func reading<Value>(_ body: (Database) throws -> Value) throws(IdentityError) -> Value {
        do {
            return try self.read(body)
        } catch {
            throw IdentityError(database: error, path: self.path)
        }
    }

    /// Writes in one transaction that holds the write lock from the start, with failures as ``IdentityError``.
    func writing<Value>(_ body: (Database) throws -> Value) throws(IdentityError) -> Value {
        do {
            return try self.write(body)
        } catch {
            throw IdentityError(database: error, path: self.path)
        }
    }
}

extension IdentityError {
    /// Sorts a failure of the database at `path`; an ``IdentityError`` stays what it is.
    init(database error: any Error, path: String) {
        switch error {
        case let error as IdentityError: self = error
        case let error as DatabaseError: self.init(error, path: path)
        case let error as StateSchema.TooNew: self = .databaseTooNew(path: path, version: error.version)
        case let error as DirectoryLock.Failure: self = .stateDirectoryUnusable(path: error.path, reason: error.reason)
        default: self = .databaseFailed(path: path, reason: "\(error)")
        }
    }

    private init(_ error: DatabaseError, path: String) {
        let reason = error.message ?? "SQLite error \(error.extendedResultCode.rawValue)"
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .databaseDamaged(path: path, reason: reason)
        case .SQLITE_BUSY, .SQLITE_LOCKED: self = .databaseBusy(path: path)
        case .SQLITE_FULL, .SQLITE_READONLY, .SQLITE_IOERR, .SQLITE_CANTOPEN:
            self = .databaseNotWritable(path: path, reason: reason)
        default: self = .databaseFailed(path: path, reason: reason)
        }
    }
}
