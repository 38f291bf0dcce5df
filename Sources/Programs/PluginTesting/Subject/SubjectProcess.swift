import Glibc
package import PluginHosting
import SystemPrimitives

/// A plugin's process, talked to line by line and from one thread. Everything waits with poll(2) until a given instant.
///
/// `castway-launch` stands between, so nothing of the plugin outlives this object.
final class SubjectProcess {
    private var wire: Int32
    private var lifeline: Int32
    private var errors: Int32
    private var launcher: pid_t = 0
    private var arrived: [UInt8] = []
    private var searched = 0
    private var isClosed = false
    private var reports: [UInt8] = []
    private var said: [UInt8] = []

    /// The end; nil while it runs.
    private(set) var ending: SubjectEnding?

    /// Beyond this a peer that writes no newline is not listened to.
    private static let maximumUnfinished = 8 << 20
    private static let keptErrors = 64 << 10

    /// Starts a program.
    /// - Throws: ``SubjectError`` when the launcher cannot be started. A plugin that cannot has an ``ending``.
    init(_ program: SubjectProgram, stateDirectory: String) throws(SubjectError) {
        let launch = try program.launch(stateDirectory: stateDirectory)
        let wire = try Self.pair()
        let lifeline = try Self.pair()
        let errors = try Self.pair()
        (self.wire, self.lifeline, self.errors) = (wire.ours, lifeline.ours, errors.ours)
        defer { for descriptor in [wire.theirs, lifeline.theirs, errors.theirs] { close(descriptor) } }
        for descriptor in [self.wire, self.lifeline, self.errors] {
            _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        }
        self.launcher = try Self.spawn(
            [program.launcher] + launch.arguments, descriptors: [wire.theirs, lifeline.theirs, errors.theirs])
        self.hand(launch.environmentBlock)
    }

    deinit { self.end() }

    /// The output since its last newline.
    var unfinishedText: String { String(decoding: self.arrived.prefix(1024), as: UTF8.self) }

    /// The end of its standard error.
    var errorText: String { String(decoding: self.said, as: UTF8.self) }

    /// Writes, and reads meanwhile what comes, so that neither side can hold the other up.
    /// - Returns: false when the plugin does not take it in time, or is gone.
    func write(_ bytes: [UInt8], until deadline: ContinuousClock.Instant) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(self.wire, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EAGAIN && errno != EINTR {
                return false
            } else if !self.wait(writing: true, until: deadline) {
                return false
            }
        }
        return true
    }

    func read(until deadline: ContinuousClock.Instant) -> SubjectSound {
        while true {
            if let end = self.arrived[self.searched...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = Array(self.arrived[..<end])
                self.arrived.removeSubrange(...end)
                self.searched = 0
                return .line(line)
            }
            self.searched = self.arrived.count
            if self.isClosed || self.arrived.count > Self.maximumUnfinished {
                defer { (self.arrived, self.searched) = ([], 0) }
                return .closed(rest: self.arrived)
            }
            guard self.wait(writing: false, until: deadline) else { return .silence }
        }
    }

    /// Lets the plugin read the end of its input.
    func closeWriting() {
        shutdown(self.wire, Int32(SHUT_WR))
    }

    /// Waits for the process to end. What it says meanwhile can be read afterwards.
    func awaitEnding(until deadline: ContinuousClock.Instant) -> SubjectEnding? {
        while self.ending == nil, self.wait(writing: false, until: deadline, forEnding: true) {}
        return self.ending
    }

    /// Ends it, and everything that it started. Nothing can be heard of it afterwards.
    func end() {
        guard self.launcher > 0 else { return }
        _ = "K".utf8CString.withUnsafeBytes {
            send(self.lifeline, $0.baseAddress, 1, Int32(MSG_NOSIGNAL))
        }
        // It ends by itself once nothing is left below it. Until then its lines must go somewhere.
        while self.lifeline >= 0, self.wait(writing: false, until: .now + .seconds(30), forEnding: true) {}
        var status: Int32 = 0
        while waitpid(self.launcher, &status, 0) < 0, errno == EINTR {}
        self.launcher = 0
        for descriptor in [self.wire, self.lifeline, self.errors] where descriptor >= 0 { close(descriptor) }
        (self.wire, self.lifeline, self.errors) = (-1, -1, -1)
    }

    // MARK: - Waiting

    /// Waits until something can be done, and takes in what came.
    /// - Parameter forEnding: whether the end of the wire is no news.
    /// - Returns: false when the time is up.
    private func wait(writing: Bool, until deadline: ContinuousClock.Instant, forEnding: Bool = false) -> Bool {
        let left = deadline - .now
        guard left > .zero else { return false }
        let milliseconds = left.wholeMilliseconds
        let wires = Int16(writing ? POLLOUT | POLLIN : POLLIN)
        var waits = [
            pollfd(fd: self.isClosed && !writing ? -1 : self.wire, events: wires, revents: 0),
            pollfd(fd: self.lifeline, events: Int16(POLLIN), revents: 0),
            pollfd(fd: self.errors, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&waits, nfds_t(waits.count), Int32(clamping: milliseconds + 1)) > 0 else { return errno == EINTR }
        if waits[0].revents & Int16(POLLIN | POLLHUP | POLLERR) != 0, !self.isClosed {
            if !Self.take(self.wire, into: &self.arrived) { self.isClosed = true }
        }
        if waits[1].revents != 0 { self.takeReports() }
        if waits[2].revents != 0 {
            if !Self.take(self.errors, into: &self.said) {
                close(self.errors)
                self.errors = -1
            }
            if self.said.count > Self.keptErrors { self.said.removeFirst(self.said.count - Self.keptErrors) }
        }
        return true
    }

    private func takeReports() {
        let goesOn = Self.take(self.lifeline, into: &self.reports)
        while let end = self.reports.firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(decoding: self.reports[..<end], as: UTF8.self)
            self.reports.removeSubrange(...end)
            if self.ending == nil { self.ending = SubjectEnding(report: line[...]) }
        }
        guard !goesOn else { return }
        if self.ending == nil { self.ending = .notStarted("castway-launch ended") }
        close(self.lifeline)
        self.lifeline = -1
    }

    /// Reads what there is.
    /// - Returns: false at the end.
    private static func take(_ descriptor: Int32, into bytes: inout [UInt8]) -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = Glibc.read(descriptor, &chunk, chunk.count)
        if count > 0 { bytes += chunk[..<count] }
        return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR))
    }

    // MARK: - Starting

    /// Hands the plugin's environment to the launcher, which reads it before anything else; one that does not is gone.
    private func hand(_ environment: [UInt8]) {
        var rest = environment[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(self.lifeline, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count > 0 {
                rest = rest.dropFirst(count)
                continue
            }
            var space = pollfd(fd: self.lifeline, events: Int16(POLLOUT), revents: 0)
            guard errno == EAGAIN || errno == EINTR, poll(&space, 1, 10_000) > 0 else { return }
        }
    }

    private static func pair() throws(SubjectError) -> (ours: Int32, theirs: Int32) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw .system("socketpair", errno) }
        return (ends[0], ends[1])
    }

    private static func spawn(
        _ arguments: [String], descriptors: [Int32]
    ) throws(SubjectError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in descriptors.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        let words = arguments.map { strdup($0) } + [nil]
        // What the environment of the plugin means to the loader is not the launcher's.
        let variables: [UnsafeMutablePointer<CChar>?] = [nil]
        defer { for text in words { free(text) } }
        var id: pid_t = 0
        let code = posix_spawn(&id, arguments[0], &actions, &attributes, words, variables)
        guard code == 0 else { throw .system("starting \(arguments[0])", code) }
        return id
    }
}

/// The program that is started to test a plugin: just what the gateway would start.
package struct SubjectProgram: Sendable {
    package var launcher: String
    /// The plugin, with all that `gateway.yaml` could say of it.
    package var instance: PluginInstance

    package init(_ instance: PluginInstance, launcher: String = LauncherPath.found) {
        self.instance = instance
        self.launcher = launcher
    }

    /// The launcher's command line and the plugin's environment.
    /// - Throws: ``SubjectError`` when the program is nowhere to be found.
    func launch(stateDirectory: String) throws(SubjectError) -> PluginLaunch {
        let launch = PluginLaunch(self.instance, stateDirectory: stateDirectory) { access($0, X_OK) == 0 }
        guard let launch else { throw .noProgram(self.instance.manifest.command?.first ?? "") }
        return launch
    }
}

package enum SubjectEnding: Hashable, Sendable, CustomStringConvertible {
    case exited(Int32)
    case signalled(Int32)
    case notStarted(String)

    package var description: String {
        switch self {
        case .exited(let status): "exited with status \(status)"
        case .signalled(let number): "was ended by signal \(number)"
        case .notStarted(let reason): "could not be started: \(reason)"
        }
    }

    /// Reads a report of the launcher's; nil for one that is about something else.
    init?(report: Substring) {
        let parts = report.split(separator: " ", maxSplits: 1)
        switch (parts.first, parts.count > 1 ? parts[1] : "") {
        case ("exited", let status): self = .exited(Int32(status) ?? -1)
        case ("signal", let number): self = .signalled(Int32(number) ?? -1)
        case ("failed", let reason): self = .notStarted(String(reason))
        default: return nil
        }
    }
}

/// The output of a plugin's process.
enum SubjectSound {
    /// A line, without its newline.
    case line([UInt8])
    /// It closed its side, perhaps in the middle of a line, which is given.
    case closed(rest: [UInt8])
    /// Nothing in the time that was allowed.
    case silence
}

/// The reason a plugin cannot be tested at all. What is wrong with a plugin is no error but a finding.
package enum SubjectError: Error, Hashable, CustomStringConvertible {
    /// The system refused something: what, and `errno`.
    case system(String, Int32)
    /// The program that `exec` names is not there, or cannot be run.
    case noProgram(String)

    package var description: String {
        switch self {
        case .system(let what, let code): "\(what) failed with error \(code)"
        case .noProgram(let name): "there is no program '\(name)', or it cannot be run"
        }
    }
}

/// A folder for what a plugin under test writes; it goes with this object.
package final class ScratchFolder: Sendable {
    package let path: String

    /// Makes a folder under `TMPDIR`, or `/tmp`.
    /// - Throws: ``SubjectError`` when none can be made.
    package init() throws(SubjectError) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        // mkdtemp(3) replaces the X's, so that no other program can know the name before.
        var template = Array("\(parent)/castway-plugin-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .system("making a folder in \(parent)", errno) }
        self.path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { Self.remove(self.path) }

    /// Removes a file, or a folder with all that is in it; a link, not what it leads to.
    private static func remove(_ path: String) {
        guard unlink(path) != 0, let folder = opendir(path) else { return }
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { Self.remove("\(path)/\(name)") }
        }
        closedir(folder)
        rmdir(path)
    }
}
