import CastWire
import NIOCore
import Synchronization

/// What was given to callers that go on with it outside of Cast, until they say what came of that.
///
/// One for each session, for as long as the caller wants, and 64 at most: the oldest goes.
final class HandoverRegistry: Sendable {
    /// What one caller was given.
    struct Entry: Sendable {
        /// The session's number.
        let session: Int
        /// What plays, as it was given.
        let state: SessionState
        /// What the device played then; nil when it has no number.
        let mediaSessionID: Int?
        /// Until when the caller may say what came of it.
        let until: NIODeadline
    }

    private static let maximumCount = 64

    private let entries = Mutex<[Entry]>([])

    /// Keeps what was given, in the place of what was given of the session before.
    func add(_ entry: Entry) {
        self.entries.withLock { entries in
            entries.removeAll { $0.session == entry.session }
            entries.append(entry)
            if entries.count > Self.maximumCount { entries.removeFirst() }
        }
    }

    /// Takes out what was given of a session; nil when nothing was, or its time is over.
    func take(_ session: Int, at now: NIODeadline = .now()) -> Entry? {
        self.entries.withLock { entries in
            guard let index = entries.firstIndex(where: { $0.session == session }) else { return nil }
            let entry = entries.remove(at: index)
            return entry.until > now ? entry : nil
        }
    }
}
