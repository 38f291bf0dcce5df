internal import CMalloc
internal import Glibc

/// What memory the process has from the system, and how much of it is in use.
struct MemorySample: Sendable, Hashable {
    /// Pages of its own that are in memory, in bytes.
    var resident: Int
    /// What has been allocated and not been freed, in bytes.
    var inUse: Int

    /// What the allocator keeps for later, and all that is not the allocator's.
    var slack: Int { max(self.resident - self.inUse, 0) }

    /// How it is now; nil when the system does not tell.
    static var current: MemorySample? {
        guard let file = fopen("/proc/self/statm", "r") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard fgets(&line, Int32(line.count), file) != nil else { return nil }
        let pages = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            .split(separator: " ").compactMap { Int($0) }
        guard pages.count > 2 else { return nil }
        let info = mallinfo2()
        return MemorySample(
            resident: (pages[1] - pages[2]) * sysconf(Int32(_SC_PAGESIZE)), inUse: Int(info.uordblks + info.hblkhd))
    }

    /// Hands what is free back to the system. Takes some milliseconds for each hundred megabytes.
    static func handBack() {
        malloc_trim(0)
    }
}
