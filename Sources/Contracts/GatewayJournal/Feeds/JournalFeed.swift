import NIOCore
import Synchronization

/// One reader's feed. The journal's thread puts events in, the reader takes frames out on a thread of its own.
final class JournalFeed: EventFeed {
    private struct State {
        var feed: FeedState
        /// Whether the reader was told that there is something, and has not taken everything since.
        var isAwake = true
    }

    let id: Int
    private let journal: EventJournal
    private let wake: @Sendable () -> Void
    private let state: Mutex<State>

    init(_ feed: FeedState, id: Int, journal: EventJournal, wake: @escaping @Sendable () -> Void) {
        self.id = id
        self.journal = journal
        self.wake = wake
        self.state = Mutex(State(feed: feed))
    }

    func take(upTo bytes: Int) -> [JournalFrame] {
        let now = self.journal.now
        while true {
            // The journal waits for neither lock while values are put in order.
            if let view = self.state.withLock({ $0.feed.view }) {
                let keys = view.keys
                self.state.withLock { $0.feed.arrange(keys) }
            }
            let (frames, isDone) = self.state.withLock { state in
                let (frames, isDone) =
                    state.feed.needsStore
                    ? self.journal.withStore { state.feed.take(upTo: bytes, from: &$0, at: now) }
                    : (state.feed.takeQueued(upTo: bytes, at: now), true)
                if frames.isEmpty, isDone { state.isAwake = false }
                return (frames, isDone)
            }
            // A long way without anything for the reader: others get the locks, and the reader's thread, before it goes on.
            if isDone || !frames.isEmpty || self.journal.execute(self.wake) { return frames }
        }
    }

    var end: FeedEnd? { self.state.withLock { $0.feed.end } }

    /// What waits for the reader, in bytes that it alone may hold.
    var heldBytes: Int { self.state.withLock { $0.feed.heldBytes } }

    func cancel() { self.journal.cancel(self) }

    // MARK: For the journal

    /// Changes the feed, and wakes the reader when there is something to take.
    /// - Parameter change: returns whether there is.
    /// - Returns: whether the feed has ended, and how many bytes wait for the reader.
    func update(_ change: (inout FeedState) -> Bool) -> (hasEnded: Bool, heldBytes: Int) {
        let (wakes, hasEnded, bytes) = self.state.withLock { state in
            // The end is told even to a reader that has not taken everything: it may be waiting for its peer.
            let wakes = change(&state.feed) && (!state.isAwake || state.feed.end != nil)
            if wakes { state.isAwake = true }
            return (wakes, state.feed.end != nil, state.feed.heldBytes)
        }
        if wakes { self.wake() }
        return (hasEnded, bytes)
    }

    /// Tells the reader that there is a hello, if it has not looked by itself.
    func begin() {
        if self.state.withLock({ $0.isAwake }) { self.wake() }
    }
}
