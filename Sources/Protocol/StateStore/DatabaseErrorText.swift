import GRDB

/// What failures of a database mean, for people: without the statement that failed.
package enum DatabaseErrorText {
    /// A few words that fit behind a sentence and a colon.
    package static func words(_ error: any Error) -> String {
        guard let error = error as? DatabaseError else { return "\(error)" }
        switch error.resultCode {
        case .SQLITE_FULL: return "the disk is full"
        case .SQLITE_READONLY, .SQLITE_CANTOPEN: return "the state directory cannot be written"
        case .SQLITE_BUSY, .SQLITE_LOCKED: return "another process keeps the database locked"
        default: return error.message ?? "error \(error.extendedResultCode.rawValue) of the database"
        }
    }
}
