import ArgumentParser
import CastWire

/// A kind of metadata on the command line.
enum MetadataKind: String, ExpressibleByArgument, CaseIterable {
    case generic
    case movie
    case tv
    case music
    case photo
    case audiobook

    /// The kind on the wire.
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
