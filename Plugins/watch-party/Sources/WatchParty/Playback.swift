import PluginKit

/// What plays somewhere, as of a moment.
struct Playback: Hashable {
    /// Whether it goes on by itself.
    var isPlaying: Bool
    /// Where it was, in seconds.
    var position: Double
    /// How fast it goes; 1 is normal.
    var rate: Double
    /// When it was there.
    var at: PluginInstant

    /// Where it is at another moment, in seconds.
    func position(at moment: PluginInstant) -> Double {
        guard self.isPlaying else { return self.position }
        return max(0, self.position + self.at.duration(to: moment) / .seconds(1) * self.rate)
    }
}
