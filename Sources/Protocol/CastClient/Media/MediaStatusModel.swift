package import CastWire
package import NIOCore

/// The one status that a client keeps, made of all that a receiver tells (protocol notes, 6.3 and 6.11).
///
/// Receivers leave out what has not changed, media above all, so it is kept for each media session; what only counts while
/// it is there, such as the reason of being idle, goes when it is absent, and so does what is not known here.
package struct MediaStatusModel: Sendable {
    /// What a message changed.
    package struct Change: Equatable {
        package var startedSession: Int?
        /// The session before, when another one or none is there now.
        package var leftSession: Int?
        package var isOtherMedia = false
        package var isOtherPreload = false
    }

    /// Fields that belong to the medium.
    private static let ofMedium = ["videoInfo", "liveSeekableRange", "activeTrackIds"]
    private static let rememberedSessions = 8
    /// There is one element, and it has some twenty fields; beyond this nothing is read.
    private static let elementLimit = 8
    private static let fieldLimit = 64

    package private(set) var snapshot = MediaSnapshot()
    private var mediaOfSessions: [(session: Int, media: MediaInformation)] = []
    /// Sessions that another one followed; what still comes about them is no news.
    private var pastSessions: [Int] = []

    /// Knows nothing.
    package init() {}

    /// Takes the elements of a MEDIA_STATUS; none means that nothing is loaded.
    package mutating func received(
        _ elements: [MediaStatus], leavingOut omission: MediaCommand.StatusOmission, at now: NIODeadline
    ) -> Change {
        let before = self.snapshot
        if elements.isEmpty {
            self.keepLastKnown(reason: before.status?.idleReason, at: now)
            self.snapshot.status = nil
            self.snapshot.updatedAt = now
        }
        for element in elements.prefix(Self.elementLimit) { self.apply(element, leavingOut: omission, at: now) }
        return self.change(from: before)
    }

    /// The app is gone, and what it said with it.
    package mutating func leave(at now: NIODeadline) -> Change {
        let before = self.snapshot
        self.keepLastKnown(reason: nil, at: now)
        self.snapshot.status = nil
        self.snapshot.updatedAt = nil
        self.mediaOfSessions = []
        self.pastSessions = []
        return self.change(from: before)
    }

    package mutating func setApp(_ app: ReceiverApplication?, isAvailable: Bool) {
        self.snapshot.app = app
        self.snapshot.isAvailable = isAvailable
    }

    package mutating func setSettled(_ state: MediaPlayerState) {
        self.snapshot.settledState = state
    }

    private mutating func apply(
        _ element: MediaStatus, leavingOut omission: MediaCommand.StatusOmission, at now: NIODeadline
    ) {
        let known = self.snapshot.mediaSessionID
        let session = element.mediaSessionID ?? element.extendedStatus?.mediaSessionID ?? known
        if let session, self.pastSessions.contains(session) { return }
        let isSame = session == known
        if !isSame || element.playerState == .idle {
            let reason = isSame && element.extendedStatus == nil ? element.idleReason : .interrupted
            self.keepLastKnown(reason: reason, at: now)
        }
        if !isSame, let known {
            self.pastSessions = self.pastSessions.suffix(Self.rememberedSessions - 1) + [known]
        }
        var merged = Self.merge(element, onto: isSame ? self.status(at: now) : nil, leavingOut: omission)
        if merged.media == nil, let session {
            merged.media =
                merged.extendedStatus?.media ?? self.mediaOfSessions.first { $0.session == session }?.media
        }
        if let session, let media = merged.media { self.remember(media, of: session) }
        self.snapshot.status = merged
        self.snapshot.updatedAt = now
    }

    /// The status as the receiver would tell it now: what moves by itself has moved since it was told. Nil when nothing is loaded, or the
    /// app has said nothing.
    package func status(at now: NIODeadline) -> MediaStatus? {
        guard var status = self.snapshot.status else { return nil }
        if status.currentTime != nil { status.currentTime = self.snapshot.position(at: now) }
        if status.liveSeekableRange != nil { status.liveSeekableRange = self.snapshot.liveSeekableRange(at: now) }
        return status
    }

    private static func merge(
        _ element: MediaStatus, onto old: MediaStatus?, leavingOut omission: MediaCommand.StatusOmission
    ) -> MediaStatus {
        var old = old
        if let media = element.media, let oldMedia = old?.media, media.contentID != oldMedia.contentID {
            for name in Self.ofMedium { old?.json[name] = nil }
        }
        var merged = element.completed(by: old, fieldLimit: Self.fieldLimit)
        if omission.contains(.metadata), merged.media?.metadata == nil,
            merged.media?.contentID == old?.media?.contentID
        {
            merged.media?.metadata = old?.media?.metadata
        }
        return merged
    }

    /// A player that becomes idle tells no position any more, so the one it had by now is kept.
    private mutating func keepLastKnown(reason: IdleReason?, at now: NIODeadline) {
        guard let status = self.snapshot.status, self.snapshot.playerState.isActive,
            self.snapshot.playerState != .loading
        else { return }
        self.snapshot.lastKnown = LastKnownMedia(
            media: self.snapshot.media, position: self.snapshot.position(at: now),
            playerState: self.snapshot.playerState, idleReason: reason, status: status)
    }

    private mutating func remember(_ media: MediaInformation, of session: Int) {
        self.mediaOfSessions.removeAll { $0.session == session }
        self.mediaOfSessions = self.mediaOfSessions.suffix(Self.rememberedSessions - 1) + [(session, media)]
    }

    private func change(from before: MediaSnapshot) -> Change {
        let after = self.snapshot
        var change = Change()
        if before.mediaSessionID != after.mediaSessionID {
            change.leftSession = before.mediaSessionID
            change.startedSession = after.mediaSessionID
        }
        change.isOtherMedia = before.media != after.media
        change.isOtherPreload = before.preloadedItemID != after.preloadedItemID
        return change
    }
}

/// The player's state without the idle moments between two items (protocol notes, quirk 21).
///
/// Idle counts at once when nothing can follow, and otherwise when it lasts.
struct SettledPlayerState: Sendable {
    private(set) var state = MediaPlayerState.unknown
    /// When an idle moment has lasted long enough.
    private(set) var deadline: NIODeadline?

    /// Looks at what is known now.
    /// - Returns: true when the state changed.
    mutating func observe(_ snapshot: MediaSnapshot, delay: Duration, at now: NIODeadline) -> Bool {
        let new = snapshot.playerState
        guard new == .idle, self.state.isActive, !Self.isFinal(snapshot) else {
            self.deadline = nil
            return self.set(new)
        }
        if self.deadline == nil { self.deadline = now + TimeAmount(delay) }
        return false
    }

    /// - Returns: true when the state changed.
    mutating func expire(at now: NIODeadline) -> Bool {
        guard let deadline, now >= deadline else { return false }
        self.deadline = nil
        return self.set(.idle)
    }

    private mutating func set(_ new: MediaPlayerState) -> Bool {
        defer { self.state = new }
        return self.state != new
    }

    private static func isFinal(_ snapshot: MediaSnapshot) -> Bool {
        guard snapshot.loadingItemID == nil else { return false }
        switch snapshot.idleReason {
        case .cancelled?, .error?: return true
        case .finished?: return snapshot.nextItem == nil && (snapshot.repeatMode ?? .off) == .off
        default: return false
        }
    }
}

/// Lets one status event through in an interval; of a burst the first and the last (protocol notes, quirk 30).
struct StatusPace: Sendable {
    private let interval: Duration
    private var last: NIODeadline?
    /// When what was held back is due.
    private(set) var deadline: NIODeadline?

    init(interval: Duration) {
        self.interval = interval
    }

    /// Something changed.
    /// - Returns: true when it may be told now.
    mutating func changed(at now: NIODeadline) -> Bool {
        if let last, now < last + TimeAmount(self.interval) {
            self.deadline = last + TimeAmount(self.interval)
            return false
        }
        self.tell(at: now)
        return true
    }

    /// - Returns: true when something was held back that is due.
    mutating func expire(at now: NIODeadline) -> Bool {
        guard let deadline, now >= deadline else { return false }
        self.tell(at: now)
        return true
    }

    /// It is told now, whatever the interval says.
    mutating func tell(at now: NIODeadline) {
        self.last = now
        self.deadline = nil
    }
}
