import PluginKit

/// A device of a party, as far as it is known what plays there.
struct PartyMember: Hashable {
    /// What it was told to do, and has not shown yet.
    struct Order: Hashable {
        /// How it shall play.
        var target: Playback
        /// Where it was sent, in seconds; nil when only to go on or to stop.
        var seek: Double?
        /// When it should have been done.
        var due: PluginInstant
    }

    /// The session with the app that plays.
    var session: String?
    /// What the app calls what it plays; new for each load.
    var mediaSession: Int
    /// What plays: its id.
    var content: String
    /// How it plays, as the device said last. A device that waits for data is still to play.
    var playback: Playback
    /// True while it waits for data, and stands still.
    var isBuffering: Bool
    var canSeek: Bool
    var canPause: Bool
    var order: Order?
    /// How many seconds it takes to seek, as it showed before.
    var lead = 0.0
    /// Before this moment it is not corrected again, so that a slow device is not chased for ever.
    var rest: PluginInstant?

    /// Where it should be at a moment, when no viewer did anything.
    func position(at moment: PluginInstant) -> Double {
        self.isBuffering ? self.playback.position : self.playback.position(at: moment)
    }
}
