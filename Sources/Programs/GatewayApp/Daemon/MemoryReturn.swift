import CMalloc
import Glibc
import Logging
import NIOPosix

/// Decides when memory that is not needed any more is handed back to the system.
///
/// After a flood glibc keeps what was freed, since some small block in use stands behind most of it: 91 of 100 MB were
/// seen to stay for good. While there is much to do nothing is handed back, for it would be wanted again at once.
struct MemoryReturn: Sendable {
    /// Less than this, in bytes, is not worth the work.
    private static let worthReturning = 16 << 20
    /// What is in use may change so much, in bytes, between two looks while things are quiet.
    private static let quiet = 4 << 20

    private var last: MemorySample?
    /// The slack that is known to stay.
    private var baseline: Int

    /// Begins with what is there at the start.
    init(at start: MemorySample) {
        self.baseline = start.slack
    }

    /// Looks at how it is now.
    /// - Returns: true when memory is to be handed back; ``handedBack(_:)`` follows.
    mutating func look(_ sample: MemorySample) -> Bool {
        let last = self.last
        self.last = sample
        self.baseline = min(self.baseline, sample.slack)
        guard let last, abs(sample.inUse - last.inUse) < Self.quiet else { return false }
        return sample.slack - self.baseline >= Self.worthReturning
    }

    /// Notes what is left; it is not tried again until there is more.
    mutating func handedBack(_ sample: MemorySample) {
        self.baseline = sample.slack
        self.last = sample
    }
}

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

extension GatewayDaemon {
    /// How often it is looked whether there is memory to hand back.
    private static let memoryInterval = Duration.seconds(10)

    /// Hands memory back that is not needed any more, as ``MemoryReturn`` decides.
    func handMemoryBack() async {
        guard let start = MemorySample.current else { return }
        var memory = MemoryReturn(at: start)
        let clock = ContinuousClock()
        while !Task.isCancelled {
            do { try await clock.sleep(for: Self.memoryInterval) } catch { return }
            guard let before = MemorySample.current, memory.look(before) else { continue }
            try? await NIOThreadPool.singleton.runIfActive { MemorySample.handBack() }
            guard let after = MemorySample.current else { return }
            memory.handedBack(after)
            self.logger.info(
                "Memory handed back",
                metadata: [
                    "before_kib": .stringConvertible(before.resident >> 10),
                    "after_kib": .stringConvertible(after.resident >> 10),
                    "in_use_kib": .stringConvertible(after.inUse >> 10),
                ])
        }
    }
}
