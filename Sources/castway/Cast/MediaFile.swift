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
