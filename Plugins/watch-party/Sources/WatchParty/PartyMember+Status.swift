import PluginKit

extension PartyMember {
    /// What a status says of a device; nil when nothing plays, or it is not known what.
    /// - Parameter known: what it said before. What a status leaves out is as it was.
    init?(_ status: MediaStatus, session: String?, after known: PartyMember?, now: PluginInstant) {
        guard let mediaSession = status.mediaSessionID, let state = status.playerState, state != .idle else {
            return nil
        }
        let known = known?.mediaSession == mediaSession && known?.session == session ? known : nil
        guard let content = status.media?.contentID ?? known?.content else { return nil }
        let isBuffering = state != .playing && state != .paused
        let commands = status.supportedMediaCommands
        self.init(
            session: session, mediaSession: mediaSession, content: content,
            playback: Playback(
                isPlaying: isBuffering ? known?.playback.isPlaying ?? true : state == .playing,
                position: status.currentTime ?? known?.position(at: now) ?? 0, rate: status.playbackRate ?? 1,
                at: now),
            isBuffering: isBuffering, canSeek: commands.isEmpty || commands.contains(.seek),
            canPause: commands.isEmpty || commands.contains(.pause), order: known?.order, lead: known?.lead ?? 0,
            rest: known?.rest)
    }

    /// True when both are about the same load of the same content.
    func isSameLoad(as other: PartyMember) -> Bool {
        self.session == other.session && self.mediaSession == other.mediaSession && self.content == other.content
    }
}
