import CastWire
import GatewayCore
package import NIOCore
import Synchronization

/// The time that apps have played to which rules give a limited one: `limit: {play: 30m}`. May be used on any thread.
///
/// The time of an app's session begins with the first message that a rule lets start media there, and goes on until it is over,
/// also when further senders start something. Then the session is handed to ``ended``, for its end, and starts nothing any more.
package final class PlaySessions: Sendable {
    package struct Session: Hashable, Sendable {
        package let rule: String
        package let device: String
        package let id: String
    }

    /// The types in the media namespace that begin to play something, go on with it, or add to it.
    static let startingTypes: Set<String> = [
        "LOAD", "LOAD_BY_ENTITY", "PLAY", "PRELOAD", "QUEUE_INSERT", "QUEUE_LOAD", "QUEUE_UPDATE", "RESUME_SESSION",
    ]

    /// The number of sessions of one virtual device that are counted before those that have ended make room.
    private static let deviceLimit = 64
    /// The time a session whose time is over is remembered when there is no room for another one.
    private static let memory = TimeAmount.hours(1)

    /// The sessions whose time is over, each once, for one reader.
    package let ended: AsyncStream<Session>

    private let eventLoop: any EventLoop
    private let limit: Int
    private let endedInput: AsyncStream<Session>.Continuation
    private let counted = Mutex<[Session: Time]>([:])

    private struct Time {
        let end: NIODeadline
        let timer: Scheduled<Void>
    }

    /// Begins without sessions.
    /// - Parameter limit: how many sessions may be counted at once; others may not play.
    package init(eventLoop: any EventLoop, limit: Int = 4096) {
        self.eventLoop = eventLoop
        self.limit = limit
        // Bounded by what is counted: a session that is forgotten is handed over no more.
        (self.ended, self.endedInput) = AsyncStream.makeStream(of: Session.self)
    }

    /// Forgets the sessions of other rules; what they started goes on.
    package func keep(rules: Set<String>) {
        self.forget { rules.contains($0.rule) }
    }

    /// The session has ended, so that nothing can be played in it any more.
    package func forget(_ session: Session) {
        self.counted.withLock { $0.removeValue(forKey: session) }?.timer.cancel()
    }

    /// Forgets all sessions but some.
    private func forget(butThose isKept: (Session) -> Bool) {
        self.counted.withLock { counted in
            for (session, time) in counted where !isKept(session) {
                time.timer.cancel()
                counted[session] = nil
            }
        }
    }

    /// True if a session is counted and has played for as long as it may. A rule that is gone ends nothing.
    package func isOver(_ session: Session) -> Bool {
        guard let end = self.counted.withLock({ $0[session]?.end }) else { return false }
        return end <= self.eventLoop.now
    }

    /// Returns true if a session may start media now; its time begins when it has not yet.
    /// - Parameter running: what runs on the session's device. When all of that is known, sessions that have ended make room.
    /// - Returns: false when its time is over, or too many sessions are counted.
    func mayPlay(
        _ session: Session, for time: TimeAmount, running: @autoclosure () -> RunningApps = .unknown
    ) -> Bool {
        let now = self.eventLoop.now
        if let end = self.counted.withLock({ $0[session]?.end }) { return now < end }
        if self.count(of: session.device) >= Self.deviceLimit {
            let running = running()
            guard running.isComplete else { return false }
            self.forget { $0.device != session.device || running.session($0.id) != nil }
        }
        if self.count >= self.limit {
            let old = self.counted.withLock { Set($0.filter { $0.value.end + Self.memory <= now }.keys) }
            self.forget { !old.contains($0) }
        }
        return self.counted.withLock { counted in
            if let end = counted[session]?.end { return now < end }
            guard counted.count < self.limit else { return false }
            let timer = self.eventLoop.scheduleTask(deadline: now + time) {
                // A session that was forgotten may have come back meanwhile, with another end.
                if self.isOver(session) { self.endedInput.yield(session) }
            }
            counted[session] = Time(end: now + time, timer: timer)
            return true
        }
    }

    /// The number of sessions that are counted.
    var count: Int { self.counted.withLock { $0.count } }

    private func count(of device: String) -> Int {
        self.counted.withLock { $0.keys.count { $0.device == device } }
    }
}
