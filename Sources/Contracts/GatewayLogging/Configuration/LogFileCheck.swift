package import GatewayConfig
import Glibc

/// Finds files of `log.sinks` that could not be written to, and sinks that are there twice.
package struct LogFileCheck {
    /// Whether a folder is there and may be written to, and what is wrong otherwise.
    var problem: @Sendable (_ path: String) -> String? = { LogFileCheck.problem(ofFile: $0) }

    package init() {}

    /// Adds what is wrong.
    package func check(_ log: ConfigSection, _ problems: inout ConfigProblems) {
        var paths: Set<String> = []
        var kinds: Set<String> = []
        for sink in log.sections("sinks") {
            for kind in ["console", "events"] where sink.isWritten(kind) && !kinds.insert(kind).inserted {
                problems.add(.duplicateName, at: sink.location(kind), "'log.sinks' has '\(kind)' twice")
            }
            guard let file = sink.optionalSection("file"), file.isValid("path") else { continue }
            let path = file.string("path")
            if !paths.insert(path).inserted {
                problems.add(.duplicateName, at: file.location("path"), "'log.sinks' has the file '\(path)' twice")
            } else if let reason = self.problem(path) {
                problems.add(
                    .unusableLogFile, at: file.location("path"), "'\(file.path("path"))' cannot be used: \(reason)")
            }
        }
    }

    private static func problem(ofFile path: String) -> String? {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        var status = stat()
        guard stat(folder, &status) == 0 else { return "the folder \(folder): \(String(cString: strerror(errno)))" }
        guard status.st_mode & S_IFMT == S_IFDIR else { return "\(folder) is no folder" }
        guard access(folder, W_OK | X_OK) == 0 else {
            return "the folder \(folder): \(String(cString: strerror(errno)))"
        }
        guard lstat(path, &status) == 0 else { return nil }
        guard status.st_mode & S_IFMT == S_IFREG else { return "\(path) is no regular file" }
        guard access(path, W_OK) == 0 else { return "\(path): \(String(cString: strerror(errno)))" }
        // The superuser checks for the service, whose user is another.
        let user = geteuid() == 0 ? status.st_uid : geteuid()
        return Self.reason(against: status, user: user).map { "\(path): \($0)" }
    }

    /// Why the log does not go on in a file; nil when it does.
    static func reason(against status: stat, user: uid_t) -> String? {
        if status.st_uid != user { return "the file belongs to another user" }
        return status.st_nlink == 1 ? nil : "the file has another name too (a hard link)"
    }
}
