import CastWire

/// A message of the kind that is relayed.
struct SamplePayload {
    /// How the report calls it.
    let name: String
    /// The message.
    let message: CastMessage

    /// A custom message of 500 bytes, a media status, a custom message of 8,000 bytes.
    static let all = [
        SamplePayload(name: "custom, 500 B", message: custom(textLength: 330)),
        SamplePayload(name: "media status, 1.3 kB", message: mediaStatus),
        SamplePayload(name: "custom, 8 kB", message: custom(textLength: 7_830)),
    ]

    private static func custom(textLength: Int) -> CastMessage {
        let pattern = Array("castway relays messages ")
        let text = String((0..<textLength).map { pattern[$0 % pattern.count] })
        return CastMessage(
            source: .platformSender, destination: "5f0c2d1e-7a34-4b58-9c6d-2e8f10a3b4c7",
            namespace: "urn:x-cast:com.example.bench",
            payload: .text(#"{"type":"BENCH","text":"\#(text)","requestId":1000000001}"#))
    }

    private static var mediaStatus: CastMessage {
        let items = (1...4).map { id in
            """
            {"itemId":\(id),"autoplay":true,"preloadTime":20,"media":{"contentId":"http://192.0.2.9/\(id).mp4",\
            "contentType":"video/mp4","streamType":"BUFFERED","duration":596.5,"metadata":{"metadataType":1,\
            "title":"Part \(id)","subtitle":"A film in four parts"}}}
            """
        }
        return CastMessage(
            source: "5f0c2d1e-7a34-4b58-9c6d-2e8f10a3b4c7", destination: "*", namespace: .media,
            payload: .text(
                """
                {"type":"MEDIA_STATUS","requestId":0,"status":[{"mediaSessionId":1,"playbackRate":1,\
                "playerState":"PLAYING","currentTime":123.456,"supportedMediaCommands":12303,"repeatMode":"REPEAT_OFF",\
                "volume":{"level":0.5,"muted":false},"activeTrackIds":[1,2],"currentItemId":1,\
                "items":[\(items.joined(separator: ","))]}]}
                """))
    }
}
