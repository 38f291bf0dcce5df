package import CastWire
import SystemPrimitives

/// The steps of an announcement: louder, play, wait, as loud as before, go on.
///
/// When a step fails, what was changed is changed back, except when another sender took over. One action at a time; each is
/// answered by one event.
package struct AnnouncementStateMachine {
    /// What the owner does next.
    package enum Action: Equatable {
        /// Sets the device's volume.
        case setVolume(ReceiverVolume)
        /// Loads media.
        case load(LoadRequest)
        /// Waits until the announcement is over.
        case awaitEnd
        /// Stops the announcement.
        case stop
        /// Is done.
        case finish(AnnouncementResult)
    }

    private enum State: Equatable {
        case idle
        case raisingVolume
        case loading
        case playing
        case restoringVolume
        case restoringMedia
        case stopping
        case done
    }

    private var state = State.idle
    private let snapshot: PlaybackSnapshot
    private let announcement: LoadRequest
    private let level: Double?
    private var end = AnnouncementResult.End.failed
    private var isVolumeChanged = false
    private var isVolumeRestored = true
    private var isMediaRestored = false
    private var failures: [String] = []

    /// Prepares an announcement.
    /// - Parameters:
    ///   - level: how loud, from 0 to 1; nil leaves the volume.
    package init(_ announcement: LoadRequest, level: Double?, over snapshot: PlaybackSnapshot) {
        self.announcement = announcement
        self.level = level
        self.snapshot = snapshot
    }

    package mutating func begin() -> Action {
        guard self.state == .idle else { return self.finish() }
        guard let level, self.snapshot.volume?.controlType != .fixed else {
            self.state = .loading
            return .load(self.announcement)
        }
        self.state = .raisingVolume
        return .setVolume(ReceiverVolume(level: level))
    }

    /// The volume is set, or could not be.
    package mutating func volumeSet(_ failure: String?) -> Action {
        if let failure { self.failures.append("volume: \(failure)") }
        switch self.state {
        case .raisingVolume:
            self.isVolumeChanged = failure == nil
            self.state = .loading
            return .load(self.announcement)
        case .restoringVolume:
            self.isVolumeRestored = failure == nil
            return self.restoreMedia()
        default:
            return self.finish()
        }
    }

    /// Media was loaded, or could not be.
    package mutating func loaded(_ failure: String?) -> Action {
        switch self.state {
        case .loading:
            if let failure {
                self.failures.append("announcement: \(failure)")
                return self.ended(.failed)
            }
            self.state = .playing
            return .awaitEnd
        case .restoringMedia:
            if let failure { self.failures.append("restoring: \(failure)") }
            self.isMediaRestored = failure == nil
            return self.finish()
        default:
            return self.finish()
        }
    }

    /// The announcement is over.
    package mutating func ended(_ end: AnnouncementResult.End) -> Action {
        guard self.state == .playing || self.state == .loading else { return self.finish() }
        self.end = end
        guard self.isVolumeChanged, let level = self.snapshot.volume?.level else { return self.restoreMedia() }
        self.state = .restoringVolume
        return .setVolume(ReceiverVolume(level: level))
    }

    /// A load that failed has ended what played before all the same.
    private mutating func restoreMedia() -> Action {
        guard self.end != .takenOver else { return self.finish() }
        guard let load = self.snapshot.state?.loadRequestData else {
            // Nothing takes the place of an announcement that goes on and on.
            guard self.end == .cutOff else { return self.finish() }
            self.state = .stopping
            return .stop
        }
        self.state = .restoringMedia
        return .load(load)
    }

    /// The announcement was stopped, or could not be.
    package mutating func stopped(_ failure: String?) -> Action {
        if self.state == .stopping, let failure { self.failures.append("stopping: \(failure)") }
        return self.finish()
    }

    private mutating func finish() -> Action {
        self.state = .done
        return .finish(
            AnnouncementResult(
                end: self.end, isVolumeRestored: self.isVolumeRestored, isMediaRestored: self.isMediaRestored,
                limits: self.snapshot.limits, failures: self.failures))
    }
}

/// What became of an announcement, and of what played before.
public struct AnnouncementResult: Hashable, Sendable {
    /// How the announcement ended.
    public enum End: String, Hashable, Sendable, CaseIterable {
        /// It was played to its end.
        case played
        /// It could not be played.
        case failed
        /// It did not end in time, and was cut off.
        case cutOff
        /// Another sender loaded something else meanwhile, which goes on.
        case takenOver
    }

    /// How the announcement ended.
    public let end: End
    /// Whether the volume is as before.
    public let isVolumeRestored: Bool
    /// Whether what played before plays again; false when nothing played, or another sender took over.
    public let isMediaRestored: Bool
    /// What could not be brought back, or perhaps not.
    public let limits: [PlaybackSnapshot.Limit]
    /// What went wrong on the way, in words.
    public let failures: [String]
}

extension MediaClient {
    /// Waits until a medium that was loaded is over.
    package func end(of media: MediaInformation, within timeout: Duration) async -> AnnouncementResult.End {
        let events = self.events()
        let session = self.snapshot.mediaSessionID
        let contentID = media.contentID
        return await race {
            if let end = Self.end(of: session, contentID, self.snapshot) { return end }
            for await _ in events {
                if let end = Self.end(of: session, contentID, self.snapshot) { return end }
            }
            return .failed
        } against: {
            try? await Task.sleep(for: timeout)
            return .cutOff
        }
    }

    private static func end(
        of session: Int?, _ contentID: String?, _ snapshot: MediaSnapshot
    ) -> AnnouncementResult.End? {
        guard snapshot.mediaSessionID == session else { return snapshot.mediaSessionID == nil ? .played : .takenOver }
        if let other = snapshot.media?.contentID, other != contentID { return .takenOver }
        guard snapshot.playerState == .idle else { return nil }
        switch snapshot.idleReason {
        case .error?: return .failed
        case .interrupted?: return .takenOver
        default: return .played
        }
    }
}
