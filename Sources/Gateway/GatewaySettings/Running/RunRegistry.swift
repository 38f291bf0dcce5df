import Glibc
import Synchronization

/// The folders in which gateways that run are written down, for commands that do not know where their sockets are.
package struct RunRegistry: Sendable {
    /// Where a gateway writes itself down.
    let ownFolder: String
    /// Where gateways are looked for.
    package let folders: [String]

    /// Finds the folders.
    ///
    /// `CASTWAY_RUN_DIRECTORY` names the only one. Without it a service has the one of systemd's `RuntimeDirectory=`, the
    /// superuser `/run/castway`, and other users `castway` in `XDG_RUNTIME_DIR`, in `/run/user/UID`, or one in `/tmp`.
    /// - Parameter environment: the variables of the process.
    package init(environment: [String: String]) {
        let variable = { (name: String) in environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        if let only = environment["CASTWAY_RUN_DIRECTORY"], !only.isEmpty {
            self.ownFolder = only
            self.folders = [only]
            return
        }
        let shared = "/run/castway"
        let user = "/run/user/\(geteuid())"
        let temporary = "/tmp/castway-\(geteuid())"
        let session = variable("XDG_RUNTIME_DIR").map { "\($0)/castway" }
        let login = access(user, W_OK | X_OK) == 0 ? "\(user)/castway" : nil
        let service = variable("RUNTIME_DIRECTORY").flatMap { $0.split(separator: ":").first.map(String.init) }
        self.ownFolder = service ?? (geteuid() == 0 ? shared : session ?? login ?? temporary)
        var seen: Set<String> = []
        self.folders = [service, shared, session, login, temporary].compactMap(\.self).filter {
            seen.insert($0).inserted
        }
    }

    /// The gateways that run, the oldest first. Files of gateways that were killed, and those of other users, are passed
    /// over.
    package var gateways: [RunRecord] {
        var found: [Int: RunRecord] = [:]
        for path in self.folders {
            let folder = RunFolder(path: path)
            for path in Self.files(in: path) where folder.trusts(path) {
                guard let record = RunRecord.read(path), record.isAlive else { continue }
                found[record.process] = record
            }
        }
        return found.values.sorted { ($0.started, $0.process) < ($1.started, $1.process) }
    }

    /// Writes a gateway down, and strikes out those that were killed.
    /// - Returns: the file; nil when it cannot be written, which is no obstacle for the gateway.
    package func add(_ record: RunRecord) -> String? {
        if mkdir(self.ownFolder, geteuid() == 0 ? 0o755 : 0o700) != 0, errno != EEXIST { return nil }
        guard RunFolder(path: self.ownFolder).isTrusted else { return nil }
        for path in Self.files(in: self.ownFolder) {
            if let other = RunRecord.read(path), !other.isAlive { unlink(path) }
        }
        let path = "\(self.ownFolder)/\(record.process).run"
        return record.write(to: path) ? path : nil
    }

    private static func files(in folder: String) -> [String] {
        guard let entries = opendir(folder) else { return [] }
        defer { closedir(entries) }
        var files: [String] = []
        while let entry = readdir(entries), files.count < 1024 {
            let name = withUnsafePointer(to: entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(".run") { files.append("\(folder)/\(name)") }
        }
        return files
    }
}

/// A folder in which gateways that run are written down, and whether what it says can be believed.
///
/// A command sends requests to the socket that a file there names, so another user must not have prepared it. The owner
/// decides: this user, the superuser, or for the superuser also a service's user, when only the superuser could have made
/// the folder, as systemd makes that of `RuntimeDirectory=` below `/run`.
struct RunFolder {
    let path: String

    /// Whose files count; empty when another user may have made the folder, or may write there.
    private var owners: Set<uid_t> {
        guard let folder = Self.closed(self.path) else { return [] }
        let own: Set<uid_t> = [0, geteuid()]
        if own.contains(folder.st_uid) { return own }
        let parent = String(self.path[..<(self.path.lastIndex(of: "/") ?? self.path.startIndex)])
        guard geteuid() == 0, let above = Self.closed(parent.isEmpty ? "/" : parent), above.st_uid == 0 else {
            return []
        }
        return own.union([folder.st_uid])
    }

    /// Whether files of its owner count.
    var isTrusted: Bool { !self.owners.isEmpty }

    /// Whether a file in it counts: it is no link, and no other user may have written it.
    func trusts(_ file: String) -> Bool {
        guard let status = Self.closed(file) else { return false }
        return status.st_mode & S_IFMT == S_IFREG && self.owners.contains(status.st_uid)
    }

    /// What is at a path, when none but its owner may write there; a link is judged itself, and not what it leads to.
    private static func closed(_ path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & 0o022 == 0 ? status : nil
    }
}

/// Tells commands that a gateway runs, and where: a file beside its admin socket, and one in the registry.
package final class RunAnnouncement: Sendable {
    private let configuration: String
    private let registry: RunRegistry
    private let files = Mutex<[String]>([])

    /// Prepares to announce.
    /// - Parameters:
    ///   - configuration: the file that the gateway was started with.
    ///   - registry: where commands look.
    package init(configuration: String, registry: RunRegistry) {
        self.configuration = RunningPath.absolute(configuration)
        self.registry = registry
    }

    /// Announces the gateway.
    /// - Parameters:
    ///   - admin: where it takes commands.
    ///   - socket: where its admin socket is, or would be.
    package func begin(name: String, version: String, stateDirectory: String, admin: [String], socket: String) {
        let record = RunRecord(
            name: name, version: version, configuration: self.configuration,
            stateDirectory: RunningPath.absolute(stateDirectory), admin: admin, started: time(nil))
        let beside = RunRecord.path(socket: RunningPath.absolute(socket))
        var files: [String] = []
        if record.write(to: beside) { files.append(beside) }
        if let listed = self.registry.add(record) { files.append(listed) }
        self.files.withLock { $0 = files }
    }

    /// Takes the announcement back.
    package func end() {
        let files = self.files.withLock { files in
            defer { files = [] }
            return files
        }
        for file in files { RunRecord.remove(file) }
    }
}

/// Paths as another process understands them.
package enum RunningPath {
    /// The path from the root, without links where it exists; a relative one starts at the working directory.
    package static func absolute(_ path: String) -> String {
        if let resolved = realpath(path, nil) {
            defer { free(resolved) }
            return String(cString: resolved)
        }
        guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        var rest = path[...]
        while rest.hasPrefix("./") { rest = rest.dropFirst(2) }
        return "\(String(cString: folder))/\(rest)"
    }
}
