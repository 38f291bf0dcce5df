public import CastWire

/// What happened to the media of a session of Castway's own. Positions are computed by whoever shows them, and never told.
public enum CastMediaChange: Hashable, Sendable {
    /// The status: one element of MEDIA_STATUS with all that receivers leave out as unchanged; nil when nothing is loaded.
    case status(JSONObject?)
    /// Another medium, or another description of it: the `media` object; nil when nothing is loaded.
    case metadata(JSONObject?)
    /// A media session began.
    case started(mediaSessionID: Int)
    /// A media session is over; the reason is the receiver's word, nil when it said none.
    case ended(mediaSessionID: Int, reason: String?)
    /// Another item is prepared as the next one.
    case preload(itemID: Int?)
    /// The queue changed; the ids of its items, nil while they are not known.
    case queue(itemIDs: [Int]?)
    /// Something failed that no request waits for.
    case failed(code: CastErrorCode, reason: String)

    /// The change's name on every door, such as `media.metadata`.
    public var name: String {
        switch self {
        case .status: "media.session_status"
        case .metadata: "media.metadata"
        case .started: "media.session_started"
        case .ended: "media.session_ended"
        case .preload: "media.preload"
        case .queue: "media.queue"
        case .failed: "media.error"
        }
    }
}
