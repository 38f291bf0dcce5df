import ArgumentParser
import CastClient
import CastWire

struct TracksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        cast: "tracks", "Shows the tracks of the media, or chooses among them.",
        arguments: "[<id> ... | --no-text | --text <language> | --audio <language>]",
        examples: [
            "castway cast hall.lan tracks", "castway cast hall.lan tracks 1 3",
            "castway cast hall.lan tracks --text de", "castway cast hall.lan tracks --no-text",
        ])

    @OptionGroup var target: CastTarget
    @Argument(help: "The tracks to be active; all others are not.") var ids: [Int] = []
    @Option(help: .init("Shows text in a language.", valueName: "language")) var text: String?
    @Option(help: .init("Plays the sound in a language.", valueName: "language")) var audio: String?
    @Flag(name: .customLong("no-text"), help: "Shows no text.") var hidesText = false

    func validate() throws {
        let wishes = [!self.ids.isEmpty, self.text != nil, self.audio != nil, self.hidesText].count { $0 }
        if wishes > 1 { throw ValidationError("Give ids, --text, --audio or --no-text, one of them.") }
    }

    func run() async throws {
        try await self.target.withDevice { device in
            let media = try await self.target.follow(try await device.joinMediaApp())
            let snapshot = try await media.refresh()
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
        let active = Set(snapshot.activeTrackIDs)
        let rows = snapshot.tracks.map { track in
            [
                track.trackID.map(active.contains) == true ? ">" : "", track.trackID.map { "\($0)" } ?? "?",
                track.type?.rawValue.lowercased() ?? "?", track.language ?? "-", track.name ?? "-",
            ].map(\.printable)
        }
        let table = TextTable(rows: [["", "TRACK", "TYPE", "LANGUAGE", "NAME"]] + rows)
        self.target.output.write(snapshot.tracks.map(\.json), else: table.lines)
    }
}

struct TextStyleControl: MediaControl {
    static let configuration = CommandConfiguration(
        cast: "text-style", "Changes how text is shown over the media.", arguments: "[<options>]",
        "Colours are written #RRGGBBAA, or #RRGGBB. What is not given stays.",
        examples: ["castway cast hall.lan text-style --scale 1.5 --color '#FFFF00' --edge outline"])

    @Option(parsing: .unconditional, help: .init("The size; 1 is normal.", valueName: "factor")) var scale: Double?
    @Option(help: .init("The colour of the letters.", valueName: "color")) var color: TextColor?
    @Option(help: .init("The colour behind the letters.", valueName: "color")) var background: TextColor?
    @Option(help: .init("none, outline, drop_shadow, raised or depressed.", valueName: "kind")) var edge: String?
    @Option(help: .init("The font.", valueName: "name")) var font: String?

    func validate() throws {
        if let scale, !(scale.isFinite && scale > 0) { throw ValidationError("The scale is more than 0.") }
        if self.style.json.isEmpty { throw ValidationError("Say what is to change, such as --scale 1.5.") }
    }

    var command: MediaCommand { .setTextStyle(self.style) }

    private var style: TextTrackStyle {
        var style = TextTrackStyle()
        style.fontScale = self.scale
        style.foregroundColor = self.color?.value
        style.backgroundColor = self.background?.value
        style.edgeType = self.edge.map { TextEdgeType(rawValue: $0.uppercased()) }
        style.fontFamily = self.font
        return style
    }
}

/// A colour on the command line: `#RRGGBB` or `#RRGGBBAA`.
struct TextColor: ExpressibleByArgument, Hashable {
    /// With all eight digits, as the protocol has it.
    let value: String

    init?(argument: String) {
        let digits = argument.dropFirst()
        guard argument.hasPrefix("#"), digits.count == 6 || digits.count == 8, digits.allSatisfy(\.isHexDigit) else {
            return nil
        }
        self.value = "#" + digits.uppercased() + (digits.count == 6 ? "FF" : "")
    }
}
