import ArgumentParser
import CastWire

/// What a device shows of media, on the command line.
struct MetadataOptions: ParsableArguments {
    @Option(help: .init("What the device shows as title.", valueName: "text")) var title: String?
    @Option(help: .init("A second line.", valueName: "text")) var subtitle: String?
    @Option(help: .init("The address of a picture; may be given again.", valueName: "url")) var image: [String] = []

    @Option(
        help: .init("The kind: generic, which is the default, movie, tv, music, photo, audiobook.", valueName: "kind"))
    var kind: MetadataKind?

    @Option(
        help: .init(
            "Another field, such as artist=Ann or season=2; may be given again. Numbers are sent as numbers where the field is one.",
            valueName: "key=value"))
    var meta: [String] = []

    func validate() throws {
        for entry in self.meta where entry.split(separator: "=", maxSplits: 1).count != 2 {
            throw ValidationError("A field of the metadata is written key=value, not '\(entry)'.")
        }
    }

    var given: [String] {
        let all = [
            ("--title", self.title != nil), ("--subtitle", self.subtitle != nil), ("--image", !self.image.isEmpty),
            ("--kind", self.kind != nil), ("--meta", !self.meta.isEmpty),
        ]
        return all.filter(\.1).map(\.0)
    }

    /// The metadata; nil when nothing is said.
    var metadata: MediaMetadata? {
        guard !self.given.isEmpty else { return nil }
        var metadata = MediaMetadata((self.kind ?? .generic).type)
        metadata.title = self.title
        metadata.subtitle = self.subtitle
        for address in self.image {
            var image = MediaImage()
            image.url = address
            metadata.add(image)
        }
        for entry in self.meta {
            let parts = entry.split(separator: "=", maxSplits: 1).map(String.init)
            guard let name = parts.first, let text = parts.last else { continue }
            metadata.json[name] = Self.value(text, of: MetadataKey(rawValue: name))
        }
        return metadata
    }

    private static func value(_ text: String, of key: MetadataKey?) -> JSONValue {
        switch key?.valueKind {
        case .whole: Int(text).map { .number($0) } ?? .string(text)
        case .number: Double(text).map { .number($0) } ?? .string(text)
        case .text, .date, nil: .string(text)
        }
    }
}

enum MetadataKind: String, ExpressibleByArgument, CaseIterable {
    case generic, movie, tv, music, photo, audiobook

    var type: MediaMetadataType {
        switch self {
        case .generic: .generic
        case .movie: .movie
        case .tv: .tvShow
        case .music: .musicTrack
        case .photo: .photo
        case .audiobook: .audiobookChapter
        }
    }
}
