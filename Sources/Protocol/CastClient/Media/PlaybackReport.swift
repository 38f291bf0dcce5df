import CastWire
import NIOCore

/// What is known of an app's playback, and what the subscribers are told of it.
struct PlaybackReport: Sendable {
    private let idleDelay: Duration
    private var model = MediaStatusModel()
    private var settled = SettledPlayerState()
    private var pace: StatusPace
    /// The media session whose end was told last.
    private var toldEnd: Int?

    init(_ options: MediaClientOptions) {
        self.idleDelay = options.idleDelay
        self.pace = StatusPace(interval: options.statusInterval)
    }

    /// What is known now.
    var snapshot: MediaSnapshot { self.model.snapshot }

    /// When to call ``expire(at:_:)``.
    var nextDeadline: NIODeadline? { [self.settled.deadline, self.pace.deadline].compactMap(\.self).min() }

    /// Whether a status that has changed is told later.
    var isStatusHeld: Bool { self.pace.deadline != nil }

    // MARK: What happens

    /// An app is connected, out of reach, or gone.
    mutating func setApp(_ app: ReceiverApplication?, isAvailable: Bool) {
        self.model.setApp(app, isAvailable: isAvailable)
    }

    /// Takes the elements of a MEDIA_STATUS. What they change is told by ``tellSessions(_:_:)`` and ``tellMedia(_:at:_:)``.
    mutating func received(
        _ elements: [MediaStatus], leavingOut omission: MediaCommand.StatusOmission, at now: NIODeadline
    ) -> MediaStatusModel.Change {
        self.model.received(elements, leavingOut: omission, at: now)
    }

    /// The app is gone, and what it said with it.
    mutating func leave(at now: NIODeadline) -> MediaStatusModel.Change {
        self.model.leave(at: now)
    }

    /// Tells what was held back and is due.
    mutating func expire(at now: NIODeadline, _ outbox: inout MediaOutbox) {
        if self.settled.expire(at: now) { self.tellSettled(&outbox) }
        if self.pace.expire(at: now) { outbox.emit(.status(self.snapshot)) }
    }

    // MARK: Telling

    /// Tells which media sessions came and went.
    mutating func tellSessions(_ change: MediaStatusModel.Change, _ outbox: inout MediaOutbox) {
        if let left = change.leftSession {
            self.tellEnd(of: left, reason: self.snapshot.lastKnown?.idleReason, &outbox)
        }
        if let session = change.startedSession {
            self.toldEnd = nil
            outbox.emit(.sessionStarted(session))
        }
    }

    /// Tells of another medium, and of the player's state.
    mutating func tellMedia(_ change: MediaStatusModel.Change, at now: NIODeadline, _ outbox: inout MediaOutbox) {
        if change.isOtherMedia { outbox.emit(.metadata(self.snapshot.media)) }
        if change.isOtherPreload { outbox.emit(.preload(itemID: self.snapshot.preloadedItemID)) }
        if self.settled.observe(self.snapshot, delay: self.idleDelay, at: now) { self.tellSettled(&outbox) }
    }

    /// Tells of the status, unless one was told just now; then it is told later.
    mutating func tellStatus(at now: NIODeadline, _ outbox: inout MediaOutbox) {
        if self.pace.changed(at: now) { outbox.emit(.status(self.snapshot)) }
    }

    /// Tells of the status, whatever was told before.
    mutating func tellStatusAtOnce(at now: NIODeadline, _ outbox: inout MediaOutbox) {
        self.pace.tell(at: now)
        outbox.emit(.status(self.snapshot))
    }

    private mutating func tellSettled(_ outbox: inout MediaOutbox) {
        self.model.setSettled(self.settled.state)
        outbox.emit(.settled(self.settled.state))
        if self.settled.state == .idle, let session = self.snapshot.mediaSessionID {
            self.tellEnd(of: session, reason: self.snapshot.idleReason, &outbox)
        }
    }

    private mutating func tellEnd(of session: Int, reason: IdleReason?, _ outbox: inout MediaOutbox) {
        guard self.toldEnd != session else { return }
        self.toldEnd = session
        outbox.emit(.sessionEnded(session, reason: reason))
    }
}
