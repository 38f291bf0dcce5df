import GRDB

/// What a state directory remembers of its database in a file beside it, so that a loss is told from a first start.
///
/// The text has one fact a line: `root FINGERPRINT` for the root that Castway made, `table NAME COLUMN COLUMN …` for
/// every table.
struct StateMarker: Equatable {
    static let fileName = "castway.state"
    private static let heading =
        "# What castway.db held when it was last used. Without this file a lost database is not noticed."

    /// The fingerprint of the root that Castway made; `nil` when it has made none.
    var root: String?
    /// The columns of every table, by the table's name.
    var tables: [String: [String]]

    init(root: String?, tables: [String: [String]]) {
        self.root = root
        self.tables = tables
    }

    /// What is in an open database.
    init(_ db: Database) throws {
        self.tables = try Self.tables(db)
        self.root = nil
        if self.tables["identity_root"] != nil { self.root = try RootRecord.fetch(db)?.authority().fingerprint }
    }

    /// What the file in a directory says; `nil` when there is none, so that no database was made there.
    static func read(directory: String) -> StateMarker? {
        StateFile.read(Self.fileName, in: directory).map { StateMarker(text: $0) }
    }

    /// Writes the file unless it says the same already. A directory that takes no writing keeps what it has.
    func write(directory: String) {
        guard Self.read(directory: directory) != self else { return }
        _ = StateFile.replace(Self.fileName, in: directory, with: self.text)
    }

    /// The columns of all tables of a database.
    static func tables(_ db: Database) throws -> [String: [String]] {
        let names = try String.fetchAll(
            db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name")
        var tables: [String: [String]] = [:]
        for name in names {
            tables[name] = try String.fetchAll(db, sql: "SELECT name FROM pragma_table_info(?)", arguments: [name])
        }
        return tables
    }

    private init(text: String) {
        self.init(root: nil, tables: [:])
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            switch words.first {
            case "root" where words.count == 2: self.root = words[1]
            case "table" where words.count > 2: self.tables[words[1]] = Array(words[2...])
            default: break
            }
        }
    }

    private var text: String {
        let tables = self.tables.sorted { $0.key < $1.key }
            .map { "table \($0.key) \($0.value.joined(separator: " "))" }
        return ([Self.heading] + (self.root.map { ["root \($0)"] } ?? []) + tables).map { $0 + "\n" }.joined()
    }
}
