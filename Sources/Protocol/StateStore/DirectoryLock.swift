import Glibc

/// Lets one program at a time prepare a directory; others wait for a few seconds.
///
/// The lock is `flock(2)` on the directory itself: it needs no file, and the system gives it up when the process ends,
/// however that happens. Holders keep it for milliseconds. Taking it twice in one process waits like another process would.
package struct DirectoryLock: ~Copyable {
    /// Why the lock was not taken.
    package struct Failure: Error, Hashable, CustomStringConvertible {
        package let path: String
        /// The system's words, or that another process has it.
        package let reason: String

        package init(path: String, reason: String) {
            self.path = path
            self.reason = reason
        }

        package var description: String { "\(self.path) cannot be locked: \(self.reason)" }
    }

    private let descriptor: Int32

    /// How often and how long to wait: five seconds in all.
    private static let attempts = 250
    private static let pause: UInt32 = 20_000

    /// Runs `body` while this program holds the lock on `directory`; blocks.
    /// - Throws: ``Failure``, or what the body throws.
    package static func with<Value>(_ directory: String, _ body: () throws -> Value) throws -> Value {
        let lock = try Self.acquire(directory)
        let result = Result { try body() }
        lock.release()
        return try result.get()
    }

    private init(owning descriptor: Int32) {
        self.descriptor = descriptor
    }

    private static func acquire(_ directory: String) throws(Failure) -> DirectoryLock {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw Failure(path: directory, reason: String(cString: strerror(errno)))
        }
        let lock = DirectoryLock(owning: descriptor)
        for _ in 0..<Self.attempts {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return lock }
            let code = errno
            guard code == EWOULDBLOCK || code == EINTR else {
                throw Failure(path: directory, reason: String(cString: strerror(code)))
            }
            usleep(Self.pause)
        }
        throw Failure(path: directory, reason: "another process keeps it locked")
    }

    /// Gives the lock up now rather than at some moment after the last use.
    private consuming func release() {}

    deinit {
        close(self.descriptor)  // the lock goes with the descriptor
    }
}
