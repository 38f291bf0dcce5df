import Glibc
import Synchronization

/// Keeps other gateways out of a state directory, from the start of a gateway to its end.
///
/// The lock is on a file of the directory, and the system gives it up when the process ends, however that happens. It
/// does not keep commands from reading.
package final class StateLock: Sendable {
    /// The file's name inside the state directory. It holds the id of the process that has the lock, and stays when the
    /// lock is given up.
    package static let fileName = "castway.lock"

    /// `F_OFD_GETLK` and `F_OFD_SETLK` of Linux: locks that belong to the open file, not to the process.
    private static let getCommand: Int32 = 36
    private static let setCommand: Int32 = 37

    private let descriptor: Mutex<Int32?>

    private init(owning descriptor: Int32) {
        self.descriptor = Mutex(descriptor)
    }

    deinit {
        self.release()
    }

    /// Takes the lock, and makes the directory as needed.
    ///
    /// - Returns: `nil` for a directory that takes no writing: what works on it cannot change it.
    /// - Throws: ``IdentityError/stateInUse(path:process:)`` when a gateway has it, or an error named after the state
    ///   directory.
    package static func acquire(directory: String) throws(IdentityError) -> StateLock? {
        do throws(IdentityError) {
            try StateDatabase.makeDirectory(directory)
        } catch {
            guard error.isRefusedWriting else { throw error }
            return nil
        }
        let path = Self.path(in: directory)
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard file >= 0 || errno != ELOOP else {
            throw .stateDirectoryUnusable(path: directory, reason: "\(path) is a link")
        }
        guard file >= 0 else { return nil }
        guard StateFile.isPlain(file) else {
            close(file)
            throw .stateDirectoryUnusable(path: directory, reason: "\(path) is no file of its own")
        }
        StateFile.giveToOwner(of: directory, descriptor: file)
        var request = Self.wholeFile(F_WRLCK)
        guard fcntl(file, Self.setCommand, &request) == 0 else {
            let code = errno
            defer { close(file) }
            guard code == EAGAIN || code == EACCES else { return nil }
            throw .stateInUse(path: directory, process: Self.process(in: file))
        }
        let text = "\(getpid())\n"
        _ = ftruncate(file, 0)
        _ = text.withCString { pwrite(file, $0, text.utf8.count, 0) }
        return StateLock(owning: file)
    }

    /// The process that has the lock of a directory; `nil` when none has, or that cannot be told. Changes nothing.
    package static func holder(directory: String) -> Int? {
        let file = open(Self.path(in: directory), O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        // Asks whether reading would have to wait, which it would for the lock of a gateway alone.
        var request = Self.wholeFile(F_RDLCK)
        guard fcntl(file, Self.getCommand, &request) == 0, request.l_type != Int16(F_UNLCK) else { return nil }
        return Self.process(in: file) ?? 0
    }

    /// Gives the lock up; later calls do nothing.
    package func release() {
        let descriptor = self.descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
        if let descriptor { close(descriptor) }
    }

    private static func path(in directory: String) -> String {
        StateFile.path(Self.fileName, in: directory)
    }

    private static func wholeFile(_ type: Int32) -> flock {
        var request = flock()
        request.l_type = Int16(type)
        request.l_whence = Int16(SEEK_SET)
        return request
    }

    private static func process(in file: Int32) -> Int? {
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = pread(file, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        return Int(String(decoding: bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}
