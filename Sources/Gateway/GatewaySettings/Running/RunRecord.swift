import CastIdentity
import CastWire
import GatewayConfig
import Glibc

/// What a gateway that runs writes down of itself, so that commands find it: one JSON object in a file.
package struct RunRecord: Sendable, Hashable {
    package var process: Int
    /// When the process began, in ticks of the system since it booted; tells it from a later one of the same number.
    package var processStart: Int
    /// Which boot of the system that was.
    package var boot: String
    /// `gateway.name`.
    package var name: String
    /// The program's version.
    package var version: String
    /// The configuration, as an absolute path.
    package var configuration: String
    /// The state directory, as an absolute path.
    package var stateDirectory: String
    /// Where it takes commands: `unix:PATH` or `host:port`; empty when `admin.listen` is off.
    package var admin: [String]
    /// When it started, in seconds since 1970.
    package var started: Int

    package init(
        name: String, version: String, configuration: String, stateDirectory: String, admin: [String], started: Int
    ) {
        self.process = Int(getpid())
        self.processStart = Self.start(ofProcess: Int(getpid())) ?? 0
        self.boot = Self.currentBoot
        self.name = name
        self.version = version
        self.configuration = configuration
        self.stateDirectory = stateDirectory
        self.admin = admin
        self.started = started
    }

    /// Whether the gateway still runs: a file outlives a gateway that was killed.
    package var isAlive: Bool {
        if self.boot == Self.currentBoot, Self.start(ofProcess: self.process) == self.processStart { return true }
        // A process of another container cannot be seen, but its lock can.
        return StateLock.holder(directory: self.stateDirectory) == self.process
    }

    /// The gateway in a few words, for people.
    package var summary: String { "gateway '\(self.name)' (process \(self.process), \(self.configuration))" }

    /// The name of the file beside the admin socket, or where that would be.
    package static func path(socket: String) -> String { "\(socket).run" }

    /// The record beside an admin socket; nil when there is none, or its gateway does not run any more.
    package static func beside(socket: String) -> RunRecord? {
        Self.read(Self.path(socket: socket)).flatMap { $0.isAlive ? $0 : nil }
    }

    // MARK: The file

    package var text: String {
        let json: JSONObject = [
            "pid": .number(self.process), "process_start": .number(self.processStart), "boot": .string(self.boot),
            "name": .string(self.name), "version": .string(self.version),
            "configuration": .string(self.configuration), "state_directory": .string(self.stateDirectory),
            "admin": .array(self.admin.map { .string($0) }), "started": .number(self.started),
        ]
        return JSONValue.object(json).text + "\n"
    }

    package init?(text: String) {
        guard let json = (try? JSONReader.read(text))?.objectValue, let process = json.int("pid"), process > 0,
            let configuration = json.string("configuration"), let stateDirectory = json.string("state_directory")
        else { return nil }
        self.process = process
        self.processStart = json.int("process_start") ?? 0
        self.boot = json.string("boot") ?? ""
        self.name = json.string("name") ?? ""
        self.version = json.string("version") ?? ""
        self.configuration = configuration
        self.stateDirectory = stateDirectory
        self.admin = json.array("admin")?.compactMap(\.stringValue) ?? []
        self.started = json.int("started") ?? 0
    }

    package static func read(_ path: String) -> RunRecord? {
        guard let bytes = try? ConfigFileSystem.disk.read(path, 65_536) else { return nil }
        return RunRecord(text: String(decoding: bytes, as: UTF8.self))
    }

    /// Puts the record in the place of an earlier one, all of it or nothing.
    /// - Returns: false when it cannot be written.
    @discardableResult
    package func write(to path: String) -> Bool {
        let draft = "\(path).\(getpid()).new"
        unlink(draft)
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return false }
        let text = self.text
        let isWritten = text.withCString { Glibc.write(file, $0, text.utf8.count) } == text.utf8.count
        close(file)
        guard isWritten, rename(draft, path) == 0 else {
            unlink(draft)
            return false
        }
        return true
    }

    /// Removes a record of this process; that of another gateway, which has taken its place, stays.
    package static func remove(_ path: String) {
        guard Self.read(path)?.process == Int(getpid()) else { return }
        unlink(path)
    }

    // MARK: Processes

    private static var currentBoot: String { Self.line("/proc/sys/kernel/random/boot_id") ?? "" }

    /// When a process began (`proc_pid_stat(5)`, field 22); nil when there is none, or it cannot be seen.
    private static func start(ofProcess process: Int) -> Int? {
        guard let line = Self.line("/proc/\(process)/stat"), let end = line.lastIndex(of: ")") else { return nil }
        let fields = line[end...].split(separator: " ")
        return fields.count > 20 ? Int(fields[20]) : nil
    }

    private static func line(_ path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(file, &bytes, bytes.count)
        guard count > 0 else { return nil }
        return String(decoding: bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
