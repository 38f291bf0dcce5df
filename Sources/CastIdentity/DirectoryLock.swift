import Glibc

/// Lets one program at a time prepare a directory; others wait for a few seconds.
struct DirectoryLock: ~Copyable {
    private let descriptor: Int32

    /// How often and how long to wait: five seconds in all.
    private static let attempts = 250
    private static let pause: UInt32 = 20_000

    /// Runs `body` while this program holds the lock on `directory`.
    static func with<Value>(
        _ directory: String, _ body: () throws(IdentityError) -> Value
    ) throws(IdentityError) -> Value {
        let lock = try Self.acquire(directory)
        let result = Result { () throws(IdentityError) in try body() }
        lock.release()
        return try result.get()
    }

    private init(owning descriptor: Int32) {
        self.descriptor = descriptor
    }

    private static func acquire(_ directory: String) throws(IdentityError) -> DirectoryLock {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw .stateDirectoryUnusable(path: directory, reason: SystemErrorText.text(errno))
        }
        let lock = DirectoryLock(owning: descriptor)
        for _ in 0..<Self.attempts {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return lock }
            let code = errno
            guard code == EWOULDBLOCK || code == EINTR else {
                throw .stateDirectoryUnusable(path: directory, reason: SystemErrorText.text(code))
            }
            usleep(Self.pause)
        }
        throw .stateDirectoryUnusable(path: directory, reason: "another process keeps it locked")
    }

    /// Gives the lock up now rather than at some moment after the last use.
    private consuming func release() {}

    deinit {
        close(self.descriptor)  // the lock goes with the descriptor
    }
}
