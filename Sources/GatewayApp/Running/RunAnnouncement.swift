import Glibc
import Synchronization

/// Tells commands that a gateway runs, and where: a file beside its admin socket, and one in the registry.
public final class RunAnnouncement: Sendable {
    private let configuration: String
    private let registry: RunRegistry
    private let files = Mutex<[String]>([])

    /// Prepares to announce.
    /// - Parameters:
    ///   - configuration: the file that the gateway was started with.
    ///   - registry: where commands look.
    public init(configuration: String, registry: RunRegistry) {
        self.configuration = RunningPath.absolute(configuration)
        self.registry = registry
    }

    /// Announces the gateway.
    /// - Parameters:
    ///   - admin: where it takes commands.
    ///   - socket: where its admin socket is, or would be.
    func begin(name: String, version: String, stateDirectory: String, admin: [String], socket: String) {
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
    func end() {
        let files = self.files.withLock { files in
            defer { files = [] }
            return files
        }
        for file in files { RunRecord.remove(file) }
    }
}

/// Paths as another process understands them.
public enum RunningPath {
    /// The path from the root, without links where it exists; a relative one starts at the working directory.
    public static func absolute(_ path: String) -> String {
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
