import CastWire

/// Media made of an address on the command line.
enum MediaFile {
    /// The media information of an address.
    /// - Parameters:
    ///   - type: the MIME type; nil guesses by the end of the address.
    /// - Returns: nil when the type is unknown.
    static func information(url: String, type: String? = nil, isLive: Bool = false) -> MediaInformation? {
        guard let type = type ?? MediaType(ofURL: url)?.name else { return nil }
        var media = MediaInformation()
        media.contentID = url
        media.contentURL = url
        media.contentType = type
        media.streamType = isLive ? .live : .buffered
        return media
    }
}

/// The MIME type of media, as the end of its address tells.
struct MediaType: Hashable {
    let name: String

    private static let names: [String: String] = [
        "mp4": "video/mp4", "m4v": "video/mp4", "mov": "video/quicktime", "mkv": "video/x-matroska",
        "webm": "video/webm", "ogv": "video/ogg", "ts": "video/mp2t", "mp3": "audio/mpeg", "m4a": "audio/mp4",
        "aac": "audio/aac", "ogg": "audio/ogg", "oga": "audio/ogg", "opus": "audio/ogg", "flac": "audio/flac",
        "wav": "audio/wav", "m3u8": "application/x-mpegURL", "mpd": "application/dash+xml",
        "ism": "application/vnd.ms-sstr+xml", "jpg": "image/jpeg", "jpeg": "image/jpeg", "png": "image/png",
        "gif": "image/gif", "webp": "image/webp",
    ]

    /// Looks at the last path component; nil when its ending is unknown or missing.
    init?(ofURL url: String) {
        let path = url.prefix { $0 != "?" && $0 != "#" }
        guard let file = path.split(separator: "/").last, let dot = file.lastIndex(of: ".") else { return nil }
        guard let name = Self.names[file[file.index(after: dot)...].lowercased()] else { return nil }
        self.name = name
    }
}
