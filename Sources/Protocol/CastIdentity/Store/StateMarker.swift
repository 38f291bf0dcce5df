import GRDB
import Glibc
import StateStore

/// The notes of a state directory on its database in a file beside it, so that a loss is told from a first start.
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

    /// The contents of an open database.
    init(_ db: Database) throws {
        self.tables = try Self.tables(db)
        self.root = nil
        if self.tables["identity_root"] != nil { self.root = try RootRow.fetch(db)?.authority().fingerprint }
    }

    /// The marker of a directory; `nil` when there is none, so that no database was made there.
    static func read(directory: String) -> StateMarker? {
        StateFile.read(Self.fileName, in: directory).map { StateMarker(text: $0) }
    }

    /// Writes the file unless it says the same already. A directory that takes no writing keeps what it has.
    func write(directory: String) {
        guard Self.read(directory: directory) != self else { return }
        _ = StateFile.replace(Self.fileName, in: directory, with: self.text)
    }

    /// The columns of all tables of a database, other than the one that is derived from the others.
    static func tables(_ db: Database) throws -> [String: [String]] {
        let names = try String.fetchAll(
            db,
            sql: """
                SELECT name FROM sqlite_master
                WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name <> ? ORDER BY name
                """, arguments: [StateSchema.derivedTable])
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
            case "table" where words.count > 2 && words[1] != StateSchema.derivedTable:
                self.tables[words[1]] = Array(words[2...])
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

enum StateFile {
    static func path(_ name: String, in directory: String) -> String {
        directory.hasSuffix("/") ? directory + name : directory + "/" + name
    }

    /// The number of bytes a file has; `nil` when there is none.
    static func size(_ path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }

    /// True if an open file is a regular one that has no other name.
    static func isPlain(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_nlink == 1
    }

    /// Gives a file that the superuser makes in another user's state directory to that user, who could not use it otherwise.
    static func giveToOwner(of directory: String, descriptor: Int32) {
        var status = stat()
        guard geteuid() == 0, stat(directory, &status) == 0, status.st_uid != 0 else { return }
        _ = fchown(descriptor, status.st_uid, status.st_gid)
    }

    /// Makes what was written to a file, or changed in a directory, outlast a loss of power.
    @discardableResult
    static func synchronise(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return fsync(descriptor) == 0
    }

    /// Writes a small file in the place of what is there, all of it or nothing; mode 0600.
    /// - Returns: false when the directory takes no writing.
    static func replace(_ name: String, in directory: String, with text: String) -> Bool {
        let path = Self.path(name, in: directory)
        let draft = "\(path).\(getpid()).new"
        unlink(draft)
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return false }
        Self.giveToOwner(of: directory, descriptor: file)
        let isWritten = text.withCString { write(file, $0, text.utf8.count) } == text.utf8.count && fsync(file) == 0
        close(file)
        guard isWritten, rename(draft, path) == 0 else {
            unlink(draft)
            return false
        }
        return true
    }

    /// Reads a small file of text; `nil` when it is missing or cannot be read.
    static func read(_ name: String, in directory: String) -> String? {
        let file = open(Self.path(name, in: directory), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = Glibc.read(file, &bytes, bytes.count)
        return count >= 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }
}
