/// The state by which one stream's datagrams are judged: who the sender is, what passed, and when something did last.
///
/// A state machine without sockets and clock. The sender's address is known from its own connection; its port is that of the
/// first datagram that comes from there, and stays.
struct MediaFlow {
    /// The sender; the port is 0 until it is known.
    private let sender: MediaEndpoint
    private let idleTime: Duration
    /// The destination of the device's datagrams; nil before the sender has sent any.
    private(set) var answersTo: MediaEndpoint?
    private(set) var counts = MediaCounts()
    private(set) var lastPassed: ContinuousClock.Instant

    init(sender: MediaEndpoint, idleTime: Duration, at now: ContinuousClock.Instant) {
        self.sender = sender
        self.idleTime = idleTime
        self.lastPassed = now
        if sender.port != 0 { self.answersTo = sender }
    }

    /// Judges a datagram that came to the sender's side; one that does not go on is counted.
    /// - Parameters:
    ///   - source: where it came from; nil for what is no IP address.
    ///   - isCut: whether it was longer than its room.
    /// - Returns: whether it goes on to the device.
    mutating func admits(from source: MediaEndpoint?, length: Int, isCut: Bool) -> Bool {
        guard let source, source.hasAddress(of: self.sender) else { return self.drop(.foreignAddress) }
        if let answersTo, answersTo.port != source.port { return self.drop(.foreignPort) }
        guard self.hasContent(length, isCut) else { return false }
        if self.answersTo == nil { self.answersTo = source }
        return true
    }

    /// Judges a datagram of the device; one that does not go on is counted.
    /// - Returns: whether it goes on to ``answersTo``.
    mutating func admitsAnswer(length: Int, isCut: Bool) -> Bool {
        guard self.hasContent(length, isCut) else { return false }
        return self.answersTo == nil ? self.drop(.early) : true
    }

    private mutating func hasContent(_ length: Int, _ isCut: Bool) -> Bool {
        if isCut { return self.drop(.tooLarge) }
        return length > 0 ? true : self.drop(.empty)
    }

    private mutating func drop(_ reason: MediaCounts.Drop) -> Bool {
        self.counts.dropped(reason)
        return false
    }

    /// Takes what goes on now. It is counted before it goes, so that a count is never behind what a peer has seen.
    mutating func passing(
        _ direction: MediaCounts.Direction, packets: Int, bytes: Int, at now: ContinuousClock.Instant
    ) {
        self.counts.passed(direction, packets: packets, bytes: bytes)
        self.lastPassed = now
    }

    /// Takes what of that was not sent after all.
    mutating func lost(_ losses: SendLosses, _ direction: MediaCounts.Direction) {
        self.counts.lost(direction, packets: losses.packets, bytes: losses.bytes)
        self.counts.dropped(.unreachable, losses.unreachable)
        self.counts.dropped(.tooLarge, losses.tooLarge)
        self.counts.dropped(.full, losses.full)
        self.counts.dropped(.failed, losses.failed)
    }

    /// Takes how many datagrams the kernel has thrown away so far.
    mutating func overflowed(_ count: UInt64) {
        self.counts.overflowed(count)
    }

    /// True if nothing has gone either way for so long that the stream is over.
    func isIdle(at now: ContinuousClock.Instant) -> Bool { self.lastPassed.duration(to: now) >= self.idleTime }
}

/// The datagrams of a batch that were not sent, and why.
struct SendLosses: Equatable {
    var bytes = 0
    var unreachable = 0
    var tooLarge = 0
    var full = 0
    var failed = 0

    var packets: Int { self.unreachable + self.tooLarge + self.full + self.failed }
}
