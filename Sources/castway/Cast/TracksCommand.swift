import ArgumentParser
import CastClient
import CastWire

/// `castway cast HOST tracks`
struct TracksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tracks",
        abstract: "Shows the tracks of the media, or chooses among them.",
        usage: "castway cast <host>[:<port>] tracks [<id> ... | --no-text | --text <language> | --audio <language>]",
        discussion: """
            Examples:
              castway cast hall.lan tracks
              castway cast hall.lan tracks 1 3
              castway cast hall.lan tracks --text de
              castway cast hall.lan tracks --no-text
            """)

    @OptionGroup var target: CastTarget

    @Argument(help: "The tracks to be active; all others are not.")
    var ids: [Int] = []

    @Option(help: ArgumentHelp("Shows text in a language.", valueName: "language"))
    var text: String?

    @Option(help: ArgumentHelp("Plays the sound in a language.", valueName: "language"))
    var audio: String?

    @Flag(name: .customLong("no-text"), help: "Shows no text.")
    var hidesText = false

    func validate() throws {
        let wishes = [!self.ids.isEmpty, self.text != nil, self.audio != nil, self.hidesText].count { $0 }
        if wishes > 1 { throw ValidationError("Give ids, --text, --audio or --no-text, one of them.") }
    }

    func run() async throws {
        try await self.target.withDevice { device in
            let media = try await self.target.follow(try await device.joinMediaApp())
            let snapshot = try await media.client.refresh()
            guard let command = self.command(snapshot) else {
                guard snapshot.mediaSessionID != nil else { throw CommandFailure(.refused, "nothing is loaded") }
                return self.list(snapshot)
            }
            self.target.show(media: try await media.perform(command), of: media)
        }
    }

    /// What changes the tracks; a language whose track is listed is chosen by its id, which every app understands.
    private func command(_ snapshot: MediaSnapshot) -> MediaCommand? {
        if !self.ids.isEmpty { return .setActiveTracks(self.ids) }
        if self.hidesText { return .setActiveTracks(snapshot.trackIDs(choosing: nil, of: .text)) }
        for (language, type) in [(self.text, MediaTrackType.text), (self.audio, .audio)] {
            guard let language else { continue }
            if let id = snapshot.track(type, language: language)?.trackID {
                return .setActiveTracks(snapshot.trackIDs(choosing: id, of: type))
            }
            return type == .text ? .setTextLanguage(language) : .setAudioLanguage(language)
        }
        return nil
    }

    private func list(_ snapshot: MediaSnapshot) {
        if self.target.json {
            return StandardOutput.write(lines: snapshot.tracks.map { JSONValue.object($0.json).text })
        }
        var rows = [["", "TRACK", "TYPE", "LANGUAGE", "NAME"]]
        let active = Set(snapshot.activeTrackIDs)
        for track in snapshot.tracks {
            let isActive = track.trackID.map(active.contains) ?? false
            rows.append(
                [
                    isActive ? ">" : "", track.trackID.map { "\($0)" } ?? "?", track.type?.rawValue.lowercased() ?? "?",
                    track.language ?? "-", track.name ?? "-",
                ].map(\.printable))
        }
        StandardOutput.write(lines: TextTable(rows: rows).lines)
    }
}
