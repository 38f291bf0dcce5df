import GRDB
import Glibc

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

    /// Where SQLite finds the file without writing beside it.
    ///
    /// A write-ahead log that holds something can be read only together with its index, which must be there then.
    /// Without one the file is all there is; SQLite would make the two files nevertheless, unless told that nothing
    /// will change.
    static func uri(of path: String) -> String {
        var status = stat()
        let hasLog = stat(path + "-wal", &status) == 0 && status.st_size > 0
        return "file:" + Self.escaped(path) + (hasLog ? "?mode=ro" : "?mode=ro&immutable=1")
    }

    private static func escaped(_ path: String) -> String {
        let hex = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                bytes.append(byte)
            default: bytes += [UInt8(ascii: "%"), hex[Int(byte >> 4)], hex[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
