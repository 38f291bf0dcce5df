public import NIOCore

/// Whether a peer takes what it is sent, told at most once a second: a peer that reads in bursts would cause events without end.
///
/// The first change is told at once; what holds a second later is told then, unless it is what was told last. Lives on one event loop.
public final class WritabilityNotes {
    private static let pause = TimeAmount.seconds(1)

    private let eventLoop: any EventLoop
    private let tell: (Bool) -> Void
    private var told = true
    private var now = true
    private var settling: Scheduled<Void>?

    /// Begins with a peer that takes what it is sent.
    /// - Parameter tell: called on the event loop with each change.
    public init(eventLoop: any EventLoop, tell: @escaping (Bool) -> Void) {
        self.eventLoop = eventLoop
        self.tell = tell
    }

    /// Notes how it is now.
    public func note(_ isWritable: Bool) {
        self.now = isWritable
        guard self.settling == nil else { return }
        self.tellChange()
    }

    /// Begins anew with a peer that takes what it is sent; nothing is told of that.
    public func reset() {
        self.settling?.cancel()
        self.settling = nil
        self.now = true
        self.told = true
    }

    private func tellChange() {
        guard self.now != self.told else { return }
        self.told = self.now
        self.settling = self.eventLoop.assumeIsolated().scheduleTask(in: Self.pause) { [weak self] in
            self?.settling = nil
            self?.tellChange()
        }
        self.tell(self.told)
    }
}
