import Glibc
import Synchronization

/// Writes lines to a file and, before it becomes too large, puts it aside: `PATH` becomes `PATH.1`, that becomes `PATH.2`, and the last one
/// is gone. No line stands in two files, and none is written in part.
///
/// It waits for the disk, so it belongs to one thread. A file that was renamed or removed by something else is left within a second.
final class RotatingFileWriter: Sendable {
    private struct State {
        var limits: LogFileConfiguration
        var descriptor: Int32 = -1
        var size = 0
        var identity = Identity()
        var lookedAt = ContinuousClock.now
        var isFailing = false
    }

    private struct Identity: Equatable {
        var device: dev_t = 0
        var number: ino_t = 0
    }

    /// What a call of the system says of itself.
    private struct Failure: Error {
        let reason: String

        init(_ what: String, code: Int32 = errno) {
            self.reason = "\(what): \(String(cString: strerror(code)))"
        }

        init(reason: String) { self.reason = reason }
    }

    private let path: String
    private let tell: @Sendable (String?) -> Void
    private let state: Mutex<State>

    /// - Parameter tell: called with the reason when a line cannot be written after one could, and with nil when one can again.
    init(path: String, tell: @escaping @Sendable (String?) -> Void) {
        self.path = path
        self.tell = tell
        self.state = Mutex(State(limits: LogFileConfiguration(path: path)))
    }

    deinit {
        self.state.withLock { self.close(&$0) }
    }

    /// Takes limits, and opens the file of this name, which may be another one now.
    func open(_ limits: LogFileConfiguration) {
        self.attempt { state throws(Failure) in
            state.limits = limits
            self.close(&state)
            try self.open(&state)
            self.removeOld(state)
        }
    }

    /// Writes a line, with its line break.
    /// - Returns: false when it could not; nothing of it is in the file then.
    func write(_ line: String) -> Bool {
        self.attempt { state throws(Failure) in
            let bytes = Array(line.utf8)
            if state.descriptor >= 0 { self.look(&state) }
            if state.descriptor < 0 { try self.open(&state) }
            if state.size > 0, state.size + bytes.count > state.limits.maximumSize { try self.putAside(&state) }
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.write(state.descriptor, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    let failure = Failure("write")
                    // The file ends with a whole line.
                    if rest.count < bytes.count { _ = ftruncate(state.descriptor, state.size) }
                    throw failure
                }
                rest = rest.dropFirst(count)
            }
            state.size += bytes.count
        }
    }

    @discardableResult
    private func attempt(_ body: (inout State) throws(Failure) -> Void) -> Bool {
        let (wasFailing, reason) = self.state.withLock { state in
            let wasFailing = state.isFailing
            do throws(Failure) {
                try body(&state)
                state.isFailing = false
                return (wasFailing, String?.none)
            } catch {
                state.isFailing = true
                return (wasFailing, error.reason)
            }
        }
        if wasFailing != (reason != nil) { self.tell(reason) }
        return reason == nil
    }

    // MARK: The file

    private func open(_ state: inout State) throws(Failure) {
        // Without waiting for a pipe, and never behind a link that leads elsewhere.
        let flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW
        var descriptor = Glibc.open(self.path, flags)
        if descriptor < 0, errno == ENOENT {
            descriptor = Glibc.open(self.path, flags | O_CREAT | O_EXCL, 0o640)
            if descriptor >= 0 { fchmod(descriptor, 0o640) }
        }
        guard descriptor >= 0 else { throw Failure("open") }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            Glibc.close(descriptor)
            throw Failure("open", code: EINVAL)
        }
        // A file that another user has put there, or that has another name elsewhere, is none of the gateway's.
        if let reason = LogFileCheck.reason(against: status, user: geteuid()) {
            Glibc.close(descriptor)
            throw Failure(reason: "open: \(reason)")
        }
        state.descriptor = descriptor
        state.size = Int(status.st_size)
        state.identity = Identity(device: status.st_dev, number: status.st_ino)
        state.lookedAt = .now
    }

    private func close(_ state: inout State) {
        if state.descriptor >= 0 { Glibc.close(state.descriptor) }
        state.descriptor = -1
    }

    /// Leaves the file when its name is that of another one by now.
    private func look(_ state: inout State) {
        let now = ContinuousClock.now
        guard now - state.lookedAt >= .seconds(1) else { return }
        state.lookedAt = now
        var status = stat()
        let isThere = stat(self.path, &status) == 0
        guard !isThere || Identity(device: status.st_dev, number: status.st_ino) != state.identity else {
            // Something else may have emptied it.
            state.size = Int(status.st_size)
            return
        }
        self.close(&state)
    }

    private func putAside(_ state: inout State) throws(Failure) {
        self.close(&state)
        for number in stride(from: state.limits.maximumCount - 1, to: 0, by: -1) {
            let (source, target) = (self.name(number - 1), self.name(number))
            guard rename(source, target) == 0 || errno == ENOENT else { throw Failure("rename") }
        }
        try self.open(&state)
    }

    /// Files that an earlier, higher `max_count` kept.
    private func removeOld(_ state: State) {
        var number = state.limits.maximumCount
        while unlink(self.name(number)) == 0 { number += 1 }
    }

    private func name(_ number: Int) -> String { number == 0 ? self.path : "\(self.path).\(number)" }
}
