import CastClient
import CastWire
import GatewayCore
import NIOCore

extension LastPlayback {
    init(_ last: LastKnownMedia) {
        let isAtEnd = last.idleReason == .finished
        self.init(last.media, at: last.position, last.playerState, isAtEnd: isAtEnd)
    }

    /// The current or last playback; nil when nothing has played.
    init?(_ snapshot: MediaSnapshot, at now: NIODeadline) {
        if snapshot.hasMediaSession, snapshot.playerState.isActive {
            self.init(snapshot.media, at: snapshot.position(at: now), snapshot.playerState, isAtEnd: false)
        } else if let last = snapshot.lastKnown {
            self.init(last)
        } else {
            return nil
        }
    }

    private init(_ media: MediaInformation?, at position: Double, _ state: MediaPlayerState, isAtEnd: Bool) {
        let isPlaying = [.playing, .buffering, .loading].contains(state)
        self.init(
            contentID: media?.contentID, title: media?.json.object("metadata")?.string("title"), position: position,
            playerState: state.rawValue, autoplay: isPlaying && !isAtEnd)
    }
}
