public import CastWire

/// The tracks of what is loaded.
extension MediaSnapshot {
    /// All tracks.
    public var tracks: [MediaTrack] { self.media?.tracks ?? [] }
    /// The ids of the active tracks.
    public var activeTrackIDs: [Int] { self.status?.activeTrackIDs ?? [] }
    /// The active tracks.
    public var activeTracks: [MediaTrack] {
        let active = Set(self.activeTrackIDs)
        return self.tracks.filter { $0.trackID.map(active.contains) ?? false }
    }
    /// How text is shown; nil when the receiver does not tell.
    public var textTrackStyle: TextTrackStyle? { self.media?.textTrackStyle }

    /// The tracks of a kind.
    public func tracks(_ type: MediaTrackType) -> [MediaTrack] { self.tracks.filter { $0.type == type } }

    /// The ids to activate so that of a kind only this track is active; nil switches the kind off.
    ///
    /// Tracks of other kinds stay as they are.
    public func trackIDs(choosing trackID: Int?, of type: MediaTrackType) -> [Int] {
        let ofKind = Set(self.tracks(type).compactMap(\.trackID))
        return self.activeTrackIDs.filter { !ofKind.contains($0) && $0 != trackID } + (trackID.map { [$0] } ?? [])
    }

    /// The track of a kind whose language fits best: the tag itself, then the same language of any region.
    public func track(_ type: MediaTrackType, language: String) -> MediaTrack? {
        let wanted = language.lowercased()
        let candidates = self.tracks(type).filter { $0.language != nil }
        let primary = wanted.prefix { $0 != "-" }
        return candidates.first { $0.language?.lowercased() == wanted }
            ?? candidates.first { ($0.language?.lowercased().prefix { $0 != "-" }) == primary }
    }
}
