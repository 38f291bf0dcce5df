import CastWire
import NIOCore

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
