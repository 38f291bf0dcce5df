internal import Glibc

/// How many files and sockets the process may have open.
public struct DescriptorLimit: Sendable, Hashable {
    /// What counts now.
    public let soft: Int
    /// What the process may raise it to.
    public let hard: Int

    /// The limits in force.
    public static var current: DescriptorLimit {
        var limit = rlimit()
        guard getrlimit(Self.kind, &limit) == 0 else { return DescriptorLimit(soft: 1024, hard: 1024) }
        return DescriptorLimit(soft: Int(clamping: limit.rlim_cur), hard: Int(clamping: limit.rlim_max))
    }

    /// Raises the soft limit to the hard one.
    ///
    /// Shells and service managers set a soft limit of 1024 for programs that use select(2), which Castway does not.
    /// - Returns: the limits afterwards.
    @discardableResult
    public static func raise() -> DescriptorLimit {
        var limit = rlimit()
        if getrlimit(Self.kind, &limit) == 0, limit.rlim_cur < limit.rlim_max {
            limit.rlim_cur = limit.rlim_max
            setrlimit(Self.kind, &limit)
        }
        return Self.current
    }

    /// How many are open; nil when even that cannot be found out, mostly for want of a descriptor.
    public static var openCount: Int? {
        guard let folder = opendir("/proc/self/fd") else { return nil }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // Neither `.` and `..` nor the folder itself.
        return count - 3
    }

    private static var kind: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
}
