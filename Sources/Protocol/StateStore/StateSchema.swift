package import GRDB

/// The tables that one part of Castway keeps in the state database, and the steps that bring older ones up to date.
///
/// How it works:
///
/// 1. Steps are counted from 1, and a step that was ever released never changes. How far the tables have come stands in the
///    table `PART_schema`, which every Castway has had: an older one refuses tables of a newer one by it, so it is kept up.
/// 2. GRDB's migrator applies the steps that are missing, each in one immediate transaction with the count, so a step is
///    done and counted or neither. Its own list, `grdb_migrations`, is made to agree with the count first, since databases
///    of older Castways do not have it.
/// 3. The migrator reads its list before the transaction of a step begins, so two programs that open a new database at
///    once would both apply the first step. Therefore a lock on the directory of the database is held meanwhile.
package struct StateSchema: Sendable {
    /// Changes the tables, or what is in them, inside a transaction.
    package typealias Step = @Sendable (Database) throws -> Void

    /// A newer Castway has changed the tables.
    package struct TooNew: Error, Hashable, CustomStringConvertible {
        /// How many steps the tables have behind them.
        package let version: Int
        let tables: String

        package var description: String { "\(self.tables) of version \(self.version), made by a newer Castway" }
    }

    /// GRDB's table in the state database; derived from the counts, so nothing is lost with it.
    package static let derivedTable = "grdb_migrations"

    let part: String
    private let tables: String
    private let steps: [Step]

    /// Describes the tables.
    /// - Parameters:
    ///   - part: what the names of the tables begin with: lower-case letters.
    ///   - tables: how an error begins, such as `the session tables are`.
    ///   - steps: all steps there ever were, oldest first.
    package init(part: String, tables: String, steps: [Step]) {
        self.part = part
        self.tables = tables
        self.steps = steps
    }

    package static func sql(_ statements: String) -> Step {
        { try $0.execute(sql: statements) }
    }

    /// Brings the tables up to date; blocks.
    /// - Throws: ``TooNew``, ``DirectoryLock/Failure``, or what GRDB throws.
    package func migrate(_ database: any DatabaseWriter) throws {
        guard let directory = Self.directory(of: database.path) else { return try self.apply(to: database) }
        try DirectoryLock.with(directory) { try self.apply(to: database) }
    }

    /// Where the file of a database is; nil for one in memory, which has one user.
    private static func directory(of path: String) -> String? {
        guard !path.isEmpty, path != ":memory:", !path.hasPrefix("file:") else { return nil }
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private func apply(to database: any DatabaseWriter) throws {
        try database.write { try self.adopt($0) }
        var migrator = DatabaseMigrator()
        for (index, step) in self.steps.enumerated() {
            migrator.registerMigration(self.identifier(index + 1)) { db in
                // With the first step and not before: a start that is ended leaves all of it or nothing.
                try db.execute(
                    sql: "CREATE TABLE IF NOT EXISTS \(self.part)_schema (version INTEGER NOT NULL) STRICT")
                try step(db)
                try db.execute(sql: "INSERT INTO \(self.part)_schema (version) VALUES (?)", arguments: [index + 1])
            }
        }
        try migrator.migrate(database)
    }

    /// Makes GRDB's list say what the count says.
    private func adopt(_ db: Database) throws {
        let version =
            try db.tableExists("\(self.part)_schema")
            ? Int.fetchOne(db, sql: "SELECT max(version) FROM \(self.part)_schema") ?? 0 : 0
        guard version <= self.steps.count else { throw TooNew(version: version, tables: self.tables) }
        try db.execute(
            sql: "CREATE TABLE IF NOT EXISTS \(Self.derivedTable) (identifier TEXT NOT NULL PRIMARY KEY)")
        let counted = Set((0..<max(0, version)).map { self.identifier($0 + 1) })
        let listed = try String.fetchSet(
            db, sql: "SELECT identifier FROM \(Self.derivedTable) WHERE identifier GLOB ?",
            arguments: ["\(self.part).*"])
        for identifier in counted.subtracting(listed) {
            try db.execute(sql: "INSERT INTO \(Self.derivedTable) VALUES (?)", arguments: [identifier])
        }
        for identifier in listed.subtracting(counted) {
            try db.execute(sql: "DELETE FROM \(Self.derivedTable) WHERE identifier = ?", arguments: [identifier])
        }
    }

    private func identifier(_ number: Int) -> String { "\(self.part).\(number)" }
}
