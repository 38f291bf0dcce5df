public import CastWire

/// What a player does, as the SDKs tell it: with a state for loading, and one for not knowing.
public enum MediaPlayerState: String, Hashable, Sendable, CaseIterable {
    /// There is no status: nothing was loaded, or nobody is connected.
    case unknown
    /// Nothing plays; ``MediaSnapshot/idleReason`` says why.
    case idle
    /// An item is loading.
    case loading
    /// It waits for data.
    case buffering
    /// It plays.
    case playing
    /// It is paused.
    case paused

    /// Reads a status (protocol notes, 6.3): `extendedStatus` tells of loading while the player is idle.
    public init(_ status: MediaStatus?) {
        guard let status else {
            self = .unknown
            return
        }
        self =
            switch status.playerState {
            case .idle: status.extendedStatus?.playerState == .loading ? .loading : .idle
            case .loading: .loading
            case .buffering: .buffering
            case .playing: .playing
            case .paused: .paused
            default: .unknown
            }
    }

    /// True while an item is there to be controlled.
    public var isActive: Bool { self != .unknown && self != .idle }
}
