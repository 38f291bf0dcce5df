import Glibc

/// Files of a state directory.
enum StateFile {
    /// The path of a file in a directory.
    static func path(_ name: String, in directory: String) -> String {
        directory.hasSuffix("/") ? directory + name : directory + "/" + name
    }

    /// How many bytes a file has; `nil` when there is none.
    static func size(_ path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }

    /// Lets the superuser, who looks after the state of another user, leave no file that the owner cannot use.
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
        let file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
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
