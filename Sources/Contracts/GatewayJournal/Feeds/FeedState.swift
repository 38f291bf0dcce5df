import CastWire
import GatewayOperations
import NIOCore

/// What one reader has had and what it gets next: events in, frames out. Knows no clock.
///
/// A reader that begins gets hello, a snapshot, synced, and what happened since; one that comes back gets hello, what it missed,
/// and synced. Up to there everything is taken out of the journal when the reader asks for it, so a reader costs its place in the
/// ring. From then on events wait for it in its queue.
struct FeedState {
    private enum Phase {
        /// The values of this moment, in no order yet.
        case view(JournalStore.View)
        /// Values of these resources, from this one on.
        case snapshot([ResourceKey], next: Int)
        /// Events behind `cursor` are taken out of the ring.
        case replay
        /// Events are put into the queue.
        case live
        /// Nothing comes any more but what waits.
        case stopping
        case ended(FeedEnd)
    }

    private let boot: String
    private let limits: JournalLimits
    private let losses: ReaderLosses
    private var matcher: TopicMatcher
    /// Whether messages of apps come.
    let readsMessages: Bool
    private var phase: Phase
    /// Frames that come before all else.
    private var first: CircularBuffer<JournalFrame>
    private var queue: EventQueue
    /// Every event up to this one was told, put into the queue, or is not for the reader.
    private var cursor: UInt64
    /// What `synced` says; nil when it was told.
    private var syncedAt: SyncPoint?
    /// What the reader has had last.
    private(set) var position: JournalPosition
    /// When the reader took something last, or nothing waited.
    private var takenAt: NIODeadline
    /// When the last frame was made.
    private var busyAt: NIODeadline

    private enum SyncPoint {
        /// After the snapshot, with the number that it belongs to.
        case snapshot(UInt64)
        /// When everything that was missed is told.
        case caughtUp
    }

    /// Begins.
    /// - Parameters:
    ///   - position: what the reader has had last; nil for one that begins.
    ///   - features: what hello names.
    init(
        _ topics: EventTopics, for caller: Caller, from position: JournalPosition?, in store: JournalStore,
        features: [String], limits: JournalLimits, at now: NIODeadline
    ) {
        self.boot = store.boot
        self.limits = limits
        self.losses = store.losses
        self.matcher = TopicMatcher(topics, for: caller)
        self.readsMessages = !self.matcher.namespaces.isEmpty
        self.queue = EventQueue(limits: limits, shared: self.matcher.wholeResources)
        self.takenAt = now
        self.busyAt = now
        self.cursor = store.seq
        self.phase = .replay
        self.position = position ?? JournalPosition(boot: store.boot, seq: 0)
        let hello = MarkerFrames.hello(
            boot: store.boot, seq: store.seq, oldest: store.oldest(withMessages: self.readsMessages),
            features: features)
        self.first = [JournalFrame(.hello, at: nil, hello)]
        guard let position else {
            self.beginSnapshot(of: store)
            return
        }
        if position.boot != store.boot {
            self.resync(.otherBoot, store)
        } else if position.seq > store.seq {
            self.resync(.ahead, store)
        } else if position.seq + 1 < store.oldest(withMessages: self.readsMessages) {
            self.resync(.tooOld, store)
        } else {
            self.cursor = position.seq
            self.syncedAt = .caughtUp
        }
    }

    /// The namespaces whose messages have to be journalled for the reader.
    var namespaces: Set<Namespace> { self.matcher.namespaces }

    /// Whether lines of the log come.
    var readsLog: Bool { self.matcher.readsLog }

    /// What waits, in bytes that the reader alone may hold.
    var heldBytes: Int { self.queue.heldBytes }

    /// Why the feed has ended, once everything was taken; nil while it has not.
    var end: FeedEnd? { if case .ended(let end) = self.phase { end } else { nil } }

    private mutating func resync(_ reason: ResyncReason, _ store: JournalStore) {
        self.losses.countResync()
        self.first.append(JournalFrame(.resync, at: nil, MarkerFrames.resync(reason)))
        self.beginSnapshot(of: store)
    }

    private mutating func beginSnapshot(of store: JournalStore) {
        self.cursor = store.seq
        self.syncedAt = .snapshot(store.seq)
        self.phase = .view(store.view)
    }

    // MARK: In

    /// Takes events as they happen, oldest first.
    /// - Returns: whether there is something to take now.
    mutating func receive(_ events: [JournalEvent], at now: NIODeadline) -> Bool {
        guard case .live = self.phase else { return false }
        let wasEmpty = self.queue.isEmpty
        for event in events where event.seq > self.cursor {
            self.cursor = event.seq
            guard self.matcher.wants(event.topic) else { continue }
            guard self.queue.append(event) else { return self.endTooSlow() }
        }
        guard !self.queue.isEmpty else { return false }
        if wasEmpty { self.takenAt = now }
        self.busyAt = now
        return true
    }

    /// Lets time pass: an idle reader gets a bookmark, and one that cannot be helped any more is let go.
    /// - Parameters:
    ///   - oldest: the number of the oldest event that can be had again.
    ///   - seq: the number of the newest event.
    /// - Returns: whether there is something to take now.
    mutating func pass(to now: NIODeadline, oldest: UInt64, seq: UInt64) -> Bool {
        switch self.phase {
        case .ended, .stopping: return false
        case .live where self.queue.isEmpty:
            guard now - self.busyAt >= self.limits.bookmarkInterval, seq == self.cursor else { return false }
            self.busyAt = now
            self.takenAt = now
            self.queue.append(bookmark: seq)
            return true
        case .live, .view, .snapshot, .replay:
            // What it lost cannot be had any more by coming back, or it takes nothing at all.
            let isLossGone = self.queue.oldestLoss.map { $0 < oldest } ?? false
            return isLossGone || now - self.takenAt >= self.limits.historyAge ? self.endTooSlow() : false
        }
    }

    /// The gateway stops: what waits can be taken, then the feed ends.
    mutating func stop() {
        switch self.phase {
        case .ended: break
        case .live where !self.queue.isEmpty: self.phase = .stopping
        default:
            self.phase = .ended(FeedEnd(reason: "stopping", position: self.position))
            self.first = []
        }
    }

    /// Ends for a reader that is not helped any more; nothing waits for it but the end.
    /// - Returns: true, since there is something to take.
    mutating func endTooSlow() -> Bool {
        self.phase = .ended(FeedEnd(reason: "too_slow", position: self.position))
        self.queue = EventQueue(limits: self.limits, shared: [])
        self.first = []
        return true
    }

    // MARK: Out

    /// Values that have to be put in order, with ``arrange(_:)``, before anything is taken; nil for none.
    var view: JournalStore.View? { if case .view(let view) = self.phase { view } else { nil } }

    /// Puts the values of a snapshot in order.
    mutating func arrange(_ keys: [ResourceKey]) {
        if case .view = self.phase { self.phase = .snapshot(keys, next: 0) }
    }

    /// So many events and values are looked at in one go while the store is held: the journal and other readers wait meanwhile.
    static let steps = 256

    /// Takes what is to be sent next.
    /// - Parameter bytes: stop when so many were taken.
    /// - Returns: frames, or nothing; and whether the reader has everything then, as far as the store is needed for it. Otherwise it
    ///   takes again.
    mutating func take(
        upTo bytes: Int, from store: inout JournalStore, at now: NIODeadline
    ) -> (frames: [JournalFrame], isDone: Bool) {
        var taken = Taken(limit: bytes)
        while !taken.isFull, let frame = self.first.popFirst() { taken.append(frame) }
        var (steps, isDone) = (0, false)
        while !taken.isFull, !isDone, steps < Self.steps {
            steps += 1
            let goesOn =
                switch self.phase {
                case .view: false
                case .snapshot(let keys, let next): self.takeSnapshot(keys, next, &store, &taken)
                case .replay: self.takeReplay(store, &taken)
                case .live, .stopping: self.takeQueued(&taken)
                case .ended: false
                }
            isDone = !goesOn
        }
        return (self.finish(taken, at: now), isDone && self.view == nil)
    }

    /// Whether what comes next is in the journal's store, and not in the reader's own queue.
    var needsStore: Bool {
        switch self.phase {
        case .view, .snapshot, .replay: true
        case .live, .stopping, .ended: !self.first.isEmpty
        }
    }

    /// Takes what waits in the queue.
    mutating func takeQueued(upTo bytes: Int, at now: NIODeadline) -> [JournalFrame] {
        var taken = Taken(limit: bytes)
        if case .ended = self.phase { return [] }
        while !taken.isFull, self.takeQueued(&taken) {}
        return self.finish(taken, at: now)
    }

    private mutating func finish(_ taken: Taken, at now: NIODeadline) -> [JournalFrame] {
        self.takenAt = now
        if let last = taken.frames.last(where: { $0.position != nil })?.position { self.position = last }
        if taken.frames.isEmpty, case .stopping = self.phase {
            self.phase = .ended(FeedEnd(reason: "stopping", position: self.position))
        }
        return taken.frames
    }

    private mutating func takeSnapshot(
        _ keys: [ResourceKey], _ next: Int, _ store: inout JournalStore, _ taken: inout Taken
    ) -> Bool {
        if next < keys.count {
            self.phase = .snapshot(keys, next: next + 1)
            if let event = store.latest(of: keys[next]), self.matcher.wants(event.topic),
                let value = store.snapshot(of: keys[next])
            {
                taken.append(JournalFrame(.snapshot, at: nil, value.bytes))
            }
        } else {
            if case .snapshot(let seq)? = self.syncedAt { self.appendSynced(seq, &taken) }
            self.phase = .replay
        }
        return true
    }

    private mutating func takeReplay(_ store: JournalStore, _ taken: inout Taken) -> Bool {
        guard self.cursor + 1 >= store.oldest(withMessages: self.readsMessages) else {
            self.losses.countResync()
            taken.append(JournalFrame(.resync, at: nil, MarkerFrames.resync(.tooOld)))
            self.beginSnapshot(of: store)
            return true
        }
        guard let event = store.event(after: self.cursor, withMessages: self.readsMessages) else {
            self.cursor = store.seq
            if self.syncedAt != nil { self.appendSynced(store.seq, &taken) }
            self.phase = .live
            return false
        }
        self.cursor = event.seq
        guard self.matcher.wants(event.topic) else { return true }
        if case .loss = event.kind { self.losses.countGap(event.lossCount) }
        let kind = if case .loss = event.kind { JournalFrame.Kind.gap } else { JournalFrame.Kind.event }
        taken.append(JournalFrame(kind, at: self.at(event.seq), event.bytes))
        return true
    }

    private mutating func appendSynced(_ seq: UInt64, _ taken: inout Taken) {
        self.syncedAt = nil
        taken.append(JournalFrame(.synced, at: self.at(seq), MarkerFrames.synced(seq)))
    }

    private mutating func takeQueued(_ taken: inout Taken) -> Bool {
        guard let entry = self.queue.popFirst() else { return false }
        switch entry {
        case .log(let event): taken.append(JournalFrame(.event, at: self.at(event.seq), event.bytes))
        case .state(let event, _, let skipped):
            if skipped > 0 {
                self.losses.countCoalesced(skipped)
                let bytes = MarkerFrames.coalesced(
                    type: event.topic.type, device: event.topic.device, count: skipped)
                taken.append(JournalFrame(.coalesced, at: nil, bytes))
            }
            taken.append(JournalFrame(.event, at: self.at(event.seq), event.bytes))
        case .gap(let from, let to, let count):
            self.losses.countGap(count)
            taken.append(
                JournalFrame(.gap, at: self.at(to), MarkerFrames.gap(from: from, to: to, count: count)))
        case .bookmark(let seq):
            taken.append(JournalFrame(.bookmark, at: self.at(seq), MarkerFrames.bookmark(seq)))
        case .void: break
        }
        return true
    }

    private func at(_ seq: UInt64) -> JournalPosition { JournalPosition(boot: self.boot, seq: seq) }

    /// Frames on their way out.
    private struct Taken {
        let limit: Int
        var frames: [JournalFrame] = []
        private var bytes = 0

        init(limit: Int) {
            self.limit = limit
        }

        var isFull: Bool { !self.frames.isEmpty && self.bytes >= self.limit }

        mutating func append(_ frame: JournalFrame) {
            self.frames.append(frame)
            self.bytes += frame.bytes.readableBytes
        }
    }
}
