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
