import GRDB

extension DatabaseWriter {
    /// Reads in one transaction, with failures as ``IdentityError``.
    func look<Value>(_ body: (Database) throws -> Value) throws(IdentityError) -> Value {
        do {
            return try self.read(body)
        } catch {
            throw IdentityError(database: error, path: self.path)
        }
    }

    /// Writes in one transaction that holds the write lock from the start, with failures as ``IdentityError``.
    func change<Value>(_ body: (Database) throws -> Value) throws(IdentityError) -> Value {
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
        if let error = error as? IdentityError {
            self = error
            return
        }
        guard let error = error as? DatabaseError else {
            self = .databaseFailed(path: path, reason: "\(error)")
            return
        }
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
