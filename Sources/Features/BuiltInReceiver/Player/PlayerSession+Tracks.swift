import CastWire

extension PlayerSession {
    /// A longer style is refused: it stays with the item, and items are counted when they come.
    private static let maximumStyleSize = 4_096

    mutating func editTracks(_ request: PlayerRequest) throws(PlayerRefusal) {
        let message = request.message
        var active = self.activeTrackIDs
        if let ids = try request.checked("activeTrackIds", message.activeTrackIDs) {
            try self.check(tracks: ids)
            active = ids
        }
        if let language = try request.checked("language", message.language), message.enablesTextTracks != false {
            active = try self.choosing(
                .text, language: language, suggested: message.isSuggestedLanguage ?? false, from: active)
        }
        switch message.enablesTextTracks {
        case true? where self.without(.text, active).count == active.count:
            if let first = self.tracks(.text).first?.trackID { active.append(first) }
        case false?: active = self.without(.text, active)
        default: break
        }
        let style = try request.checked("textTrackStyle", message.textTrackStyle)
        if let style, JSONValue.object(style.json).textLength > Self.maximumStyleSize { throw .invalidParameters }
        self.activeTrackIDs = active
        if let style { self.updateMedia { $0.textTrackStyle = style } }
    }

    /// The tracks that are active when neither the load nor the item chooses any: text in the language of the options.
    var preferredTracks: [Int] {
        guard let language = self.setup.options.textLanguage else { return [] }
        return (try? self.choosing(.text, language: language, suggested: true, from: [])) ?? []
    }

    mutating func editAudioTracks(_ request: PlayerRequest) throws(PlayerRefusal) {
        guard let language = request.message.language else { throw .invalidParameters }
        let suggested = request.message.isSuggestedLanguage ?? false
        self.activeTrackIDs = try self.choosing(
            .audio, language: language, suggested: suggested, from: self.activeTrackIDs)
    }

    func tracks(_ type: MediaTrackType) -> [MediaTrack] {
        (self.media.information.tracks ?? []).filter { $0.type == type }
    }

    /// The ids that the media has, each once.
    func known(_ ids: [Int]) -> [Int] {
        let tracks = Set((self.media.information.tracks ?? []).compactMap(\.trackID))
        var seen: Set<Int> = []
        return ids.filter { tracks.contains($0) && seen.insert($0).inserted }
    }

    /// Every id must be there once, and only one may be sound.
    private func check(tracks ids: [Int]) throws(PlayerRefusal) {
        let chosen = Set(ids)
        let sounds = self.tracks(.audio).count { $0.trackID.map(chosen.contains) ?? false }
        guard self.known(ids).count == ids.count, sounds <= 1 else { throw .invalidParameters }
    }

    private func without(_ type: MediaTrackType, _ ids: [Int]) -> [Int] {
        let others = Set(self.tracks(type).compactMap(\.trackID))
        return ids.filter { !others.contains($0) }
    }

    /// The active tracks with the one of a kind that has a language. A language that was only suggested may be absent.
    private func choosing(
        _ type: MediaTrackType, language: String, suggested: Bool, from active: [Int]
    ) throws(PlayerRefusal) -> [Int] {
        let wanted = language.lowercased()
        let tracks = self.tracks(type)
        let match =
            tracks.first { $0.language?.lowercased() == wanted }
            ?? tracks.first { Self.primary($0.language ?? "") == Self.primary(wanted) }
        guard let id = match?.trackID else {
            if suggested { return active }
            throw .invalid(.languageNotSupported)
        }
        return self.without(type, active) + [id]
    }

    /// The language without region and script: `de` of `de-AT` (RFC 5646).
    private static func primary(_ language: String) -> String {
        String(language.lowercased().prefix { $0 != "-" && $0 != "_" })
    }
}
