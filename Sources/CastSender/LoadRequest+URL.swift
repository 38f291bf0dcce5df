public import CastWire

extension LoadRequest {
    /// A request for one medium.
    ///
    /// - Parameters:
    ///   - url: Where it is; also its id.
    ///   - contentType: Its MIME type.
    ///   - isLive: Whether it is a stream without an end.
    ///   - title: What to show.
    public init(url: String, contentType: String, isLive: Bool = false, title: String? = nil) {
        var media = MediaInformation()
        media.contentID = url
        media.contentURL = url
        media.contentType = contentType
        media.streamType = isLive ? .live : .buffered
        if let title {
            var metadata = MediaMetadata()
            metadata.json["metadataType"] = 0
            metadata.title = title
            media.metadata = metadata
        }
        self.init()
        self.media = media
        self.autoplay = true
    }
}
