import CastWire
import GatewayCore
public import NIOCore
import Synchronization

/// How long apps have played that rules give a limited time: `limit: {play: 30m}`. May be used on any thread.
///
/// The time of an app's session begins with the first message that a rule lets start media there, and goes on until it is over,
/// also when further senders start something. Then the session is handed to ``ended``, for its end, and starts nothing any more.
public final class PlaySessions: Sendable {
    /// A session that a rule gives a limited time.
    public struct Session: Hashable, Sendable {
        /// The name of the rule.
        public let rule: String
        /// The virtual device.
        public let device: String
        /// The session's id.
        public let id: String
    }

    /// The types in the media namespace that begin to play something, go on with it, or add to it.
    static let startingTypes: Set<String> = [
        "LOAD", "LOAD_BY_ENTITY", "PLAY", "PRELOAD", "QUEUE_INSERT", "QUEUE_LOAD", "QUEUE_UPDATE", "RESUME_SESSION",
    ]

    /// How many sessions of one virtual device are counted before those that have ended make room.
    private static let deviceLimit = 64
    /// How long a session whose time is over is remembered when there is no room for another one.
    private static let memory = TimeAmount.hours(1)

    /// The sessions whose time is over, each once, for one reader.
    public let ended: AsyncStream<Session>

    private let eventLoop: any EventLoop
    private let limit: Int
    private let endedInput: AsyncStream<Session>.Continuation
    private let ends = Mutex<[Session: NIODeadline]>([:])

    /// Begins without sessions.
    /// - Parameters:
    ///   - eventLoop: keeps the time.
    ///   - limit: how many sessions may be counted at once; others may not play.
    public init(eventLoop: any EventLoop, limit: Int = 4096) {
        self.eventLoop = eventLoop
        self.limit = limit
        // Bounded by `limit`: a session is handed over once, and then waits for `memory`.
        (self.ended, self.endedInput) = AsyncStream.makeStream(of: Session.self)
    }

    /// Forgets the sessions of other rules; what they started goes on.
    public func keep(rules: Set<String>) {
        self.ends.withLock { $0 = $0.filter { rules.contains($0.key.rule) } }
    }

    /// The session has ended, so that nothing can be played in it any more.
    public func forget(_ session: Session) {
        self.ends.withLock { $0[session] = nil }
    }

    /// Whether a session is counted and has played for as long as it may. A rule that is gone ends nothing.
    public func isOver(_ session: Session) -> Bool {
        guard let end = self.ends.withLock({ $0[session] }) else { return false }
        return end <= self.eventLoop.now
    }

    /// Whether a session may start media now; its time begins when it has not yet.
    /// - Parameter running: what runs on the session's device. When all of that is known, sessions that have ended make room.
    /// - Returns: false when its time is over, or too many sessions are counted.
    func mayPlay(
        _ session: Session, for time: TimeAmount, running: @autoclosure () -> RunningApps = .unknown
    ) -> Bool {
        let now = self.eventLoop.now
        let (isAllowed, isNew) = self.ends.withLock { ends -> (Bool, Bool) in
            if let end = ends[session] { return (now < end, false) }
            if ends.keys.count(where: { $0.device == session.device }) >= Self.deviceLimit {
                let running = running()
                guard running.isComplete else { return (false, false) }
                ends = ends.filter { $0.key.device != session.device || running.session($0.key.id) != nil }
            }
            if ends.count >= self.limit { ends = ends.filter { $0.value + Self.memory > now } }
            guard ends.count < self.limit else { return (false, false) }
            ends[session] = now + time
            return (true, true)
        }
        if isNew {
            self.eventLoop.scheduleTask(deadline: now + time) {
                // A session that was forgotten may have come back meanwhile, with another end.
                if self.isOver(session) { self.endedInput.yield(session) }
            }
        }
        return isAllowed
    }

    /// How many sessions are counted.
    var count: Int { self.ends.withLock { $0.count } }
}
