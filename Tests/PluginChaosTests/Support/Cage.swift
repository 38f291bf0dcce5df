import Foundation
import Glibc

/// Bounds how many processes this one and all below it may become: whatever is broken in what bounds a plugin, the machine
/// stays usable.
final class Cage {
    /// So many more than there are.
    private static let room = 300

    /// RLIMIT_NPROC of getrlimit(2), whose name does not reach Swift.
    private static let processes: Int32 = 6

    private enum Bars {
        /// A cgroup, and the one that it was made in.
        case cgroup(String, parent: String)
        /// RLIMIT_NPROC as it was before; it does not bind root.
        case limit(rlimit)
    }

    private let bars: Bars

    private init(_ bars: Bars) {
        self.bars = bars
    }

    /// Whether there can be one here.
    static var isPossible: Bool {
        guard let cage = Cage.close() else { return false }
        cage.open()
        return true
    }

    /// Puts this process into a cage.
    static func close() -> Cage? {
        if let cage = Self.makeGroup() { return cage }
        var limit = rlimit()
        guard geteuid() != 0, getrlimit(Self.processes, &limit) == 0 else { return nil }
        let before = limit
        limit.rlim_cur = min(limit.rlim_max, rlim_t(Self.tasks + Self.room))
        guard setrlimit(Self.processes, &limit) == 0 else { return nil }
        return Cage(.limit(before))
    }

    /// Lets this process out.
    /// - Returns: false when a process is left behind.
    @discardableResult
    func open() -> Bool {
        switch self.bars {
        case .limit(var before):
            return setrlimit(Self.processes, &before) == 0
        case .cgroup(let folder, let parent):
            guard Self.write("0", to: "\(parent)/cgroup.procs") else { return false }
            return rmdir(folder) == 0
        }
    }

    // MARK: Control groups

    private static func makeGroup() -> Cage? {
        for (root, controllers) in [("/sys/fs/cgroup/pids", "pids"), ("/sys/fs/cgroup", "")] {
            guard let parent = Self.ownGroup(controllers).map({ root + $0 }) else { continue }
            let folder = "\(parent)/castway-chaos-\(getpid())"
            guard mkdir(folder, 0o755) == 0 else { continue }
            if Self.write("\(Self.ownTasks + Self.room)", to: "\(folder)/pids.max"),
                Self.write("0", to: "\(folder)/cgroup.procs")
            {
                return Cage(.cgroup(folder, parent: parent))
            }
            rmdir(folder)
        }
        return nil
    }

    /// This process's group, of the hierarchy with these controllers: cgroups(7), /proc/self/cgroup.
    private static func ownGroup(_ controllers: String) -> String? {
        let lines = (try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8)) ?? ""
        for line in lines.split(separator: "\n") {
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            if fields.count == 3, fields[1] == controllers { return fields[2] == "/" ? "" : String(fields[2]) }
        }
        return nil
    }

    private static func write(_ text: String, to path: String) -> Bool {
        let file = Glibc.open(path, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { Glibc.close(file) }
        let bytes = Array(text.utf8)
        return Glibc.write(file, bytes, bytes.count) == bytes.count
    }

    private static var ownTasks: Int {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []).count
    }

    /// The processes and threads of this machine, of whomever.
    private static var tasks: Int {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.filter { Int($0) != nil }.reduce(0) { count, process in
            count + ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []).count
        }
    }
}
