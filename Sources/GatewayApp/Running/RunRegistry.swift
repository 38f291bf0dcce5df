import Glibc

/// The folders in which gateways that run are written down, for commands that do not know where their sockets are.
public struct RunRegistry: Sendable {
    /// Where a gateway writes itself down.
    let ownFolder: String
    /// Where gateways are looked for.
    let folders: [String]

    /// Finds the folders.
    ///
    /// `CASTWAY_RUN_DIRECTORY` names the only one. Without it a service has the one of systemd's `RuntimeDirectory=`, the
    /// superuser `/run/castway`, and other users `castway` in `XDG_RUNTIME_DIR`, in `/run/user/UID`, or one in `/tmp`.
    /// - Parameter environment: the variables of the process.
    public init(environment: [String: String]) {
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
    public var gateways: [RunRecord] {
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
    func add(_ record: RunRecord) -> String? {
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
