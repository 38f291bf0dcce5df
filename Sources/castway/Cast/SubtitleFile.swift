import ArgumentParser
import CastWire

/// A file with subtitles on the command line: `URL` or `LANGUAGE=URL`.
struct SubtitleFile: ExpressibleByArgument, Hashable {
    /// Where it is.
    let url: String
    /// The language's tag, as in RFC 5646.
    let language: String?

    init?(argument: String) {
        if let equals = argument.firstIndex(of: "="), !argument[..<equals].contains(where: { ":/?".contains($0) }) {
            self.language = String(argument[..<equals])
            self.url = String(argument[argument.index(after: equals)...])
        } else {
            self.language = nil
            self.url = argument
        }
        guard !self.url.isEmpty, self.language != "" else { return nil }
    }

    /// The track that shows it.
    func track(id: Int) -> MediaTrack {
        var track = MediaTrack()
        track.trackID = id
        track.type = .text
        track.textSubtype = .subtitles
        track.trackContentID = self.url
        track.textType = self.url.lowercased().hasSuffix(".ttml") ? .ttml : .webVTT
        track.name = self.language ?? "Subtitles"
        track.language = self.language ?? "und"
        return track
    }
}
