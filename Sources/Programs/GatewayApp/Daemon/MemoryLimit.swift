import CastTransport
import Glibc

/// How much memory the process may use.
enum MemoryLimit {
    /// What a control group says when it has no limit is near this.
    private static let none = 1 << 60
    /// What counts where nothing can be found out.
    private static let fallback = 512 << 20

    /// The least of the limits of the control groups that the process is in (`MemoryMax` of a unit, for example) and of the machine's
    /// memory, in bytes.
    static var current: Int {
        let pages = sysconf(CInt(_SC_PHYS_PAGES)), size = sysconf(CInt(_SC_PAGESIZE))
        let machine = pages > 0 && size > 0 ? pages * size : self.fallback
        return self.files(of: self.read("/proc/self/cgroup") ?? "").compactMap { self.limit(in: self.read($0)) }
            .reduce(machine, min)
    }

    /// The files that may have a limit: of each group of memory from the process's own up to the root, which a container may see as its own.
    /// - Parameter groups: what `/proc/self/cgroup` says (cgroups(7)).
    static func files(of groups: String) -> [String] {
        groups.split(separator: "\n").flatMap { line -> [String] in
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { return [] }
            let isSecond = parts[0] == "0" && parts[1].isEmpty
            guard isSecond || parts[1].split(separator: ",").contains("memory") else { return [] }
            let root = isSecond ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory"
            let name = isSecond ? "memory.max" : "memory.limit_in_bytes"
            var names = parts[2].split(separator: "/").map(String.init)
            var files = ["\(root)/\(name)"]
            while !names.isEmpty {
                files.append("\(root)/\(names.joined(separator: "/"))/\(name)")
                names.removeLast()
            }
            return files
        }
    }

    /// The limit that such a file has; nil for none.
    static func limit(in text: String?) -> Int? {
        let line = text?.split(separator: "\n").first.map(String.init)
        guard let bytes = line.flatMap(Int.init), bytes > 0, bytes < self.none else { return nil }
        return bytes
    }

    private static func read(_ path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
