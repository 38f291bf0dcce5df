import GRDB
import Glibc
import StateStore

/// Opens the outbox's database, whatever state it is in.
struct OutboxOpening {
    /// The result of opening, with any fault.
    struct Outcome {
        let store: OutboxStore
        /// The reason nothing is kept beyond the process; nil when it is.
        var volatility: String?
        /// A problem that the operator has to know at once; nil when all is well.
        var problem: String?
    }

    /// Nil for one in memory.
    let path: String?

    /// Opens it; a damaged one is put aside under another name.
    /// - Throws: what the database says, when there is not even memory for one.
    func open() throws -> Outcome {
        guard let path else { return try Self.inMemory(nil) }
        do {
            return Outcome(store: try OutboxStore.open(path))
        } catch let error as DatabaseError where Self.isDamage(error) {
            let aside = "\(path).damaged-\(time(nil))"
            for suffix in ["", "-wal", "-shm"] { rename(path + suffix, aside + suffix) }
            let words = "it was damaged (\(error.message ?? "\(error.resultCode)")) and is put aside as \(aside)"
            do {
                return Outcome(store: try OutboxStore.open(path), problem: "\(words); an empty one takes its place")
            } catch {
                return try Self.inMemory("\(words), and no other can be made: \(DatabaseErrorText.words(error))")
            }
        } catch {
            return try Self.inMemory("\(path) cannot be written: \(DatabaseErrorText.words(error))")
        }
    }

    private static func isDamage(_ error: DatabaseError) -> Bool {
        [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode.primaryResultCode)
    }

    private static func inMemory(_ reason: String?) throws -> Outcome {
        Outcome(store: try OutboxStore.inMemory(), volatility: reason, problem: reason)
    }
}
