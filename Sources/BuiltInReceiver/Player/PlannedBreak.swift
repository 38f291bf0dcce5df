import CastWire

/// A break of the current item that the player can play.
///
/// Embedded breaks are none: their clips are part of the stream, which runs on.
struct PlannedBreak {
    struct Clip {
        let id: String
        let duration: Double
        /// After how many seconds it may be skipped; nil is never.
        let whenSkippable: Double?
    }

    /// The length of a clip that nobody tells.
    static let unknownClipDuration: Double = 30

    /// Its place in the media's list.
    let index: Int
    let id: String
    let clips: [Clip]
    /// Seconds; nil is behind the end.
    let position: Double?
    var isWatched: Bool

    /// The breaks of a medium that can be played.
    static func plan(_ media: MediaInformation) -> [PlannedBreak] {
        var clips: [String: BreakClip] = [:]
        for clip in media.breakClips ?? [] {
            if let id = clip.id { clips[id] = clip }
        }
        let elements = media.json.array("breaks") ?? []
        return elements.enumerated().compactMap { index, element in
            guard let json = element.objectValue else { return nil }
            return PlannedBreak(Break(json: json), index: index, clips: clips)
        }
    }

    private init?(_ plan: Break, index: Int, clips known: [String: BreakClip]) {
        guard plan.isEmbedded != true, let position = plan.position, !position.isInfinite else { return nil }
        let clips = (plan.breakClipIDs ?? []).compactMap { known[$0] }
        guard !clips.isEmpty else { return nil }
        let share = plan.duration.flatMap { $0 > 0 && $0.isFinite ? $0 / Double(clips.count) : nil }
        self.clips = clips.map { clip in
            let duration = clip.duration.flatMap { $0 > 0 && $0.isFinite ? $0 : nil }
            return Clip(
                id: clip.id ?? "", duration: duration ?? share ?? Self.unknownClipDuration,
                whenSkippable: clip.whenSkippable.flatMap { $0 >= 0 ? $0 : nil })
        }
        self.index = index
        self.id = plan.id ?? ""
        self.position = position < 0 ? nil : position
        self.isWatched = plan.isWatched ?? false
    }
}
