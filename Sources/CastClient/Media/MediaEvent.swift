public import CastWire

/// What a media client tells its subscribers.
public enum MediaEvent: Hashable, Sendable {
    /// A media session may be used now, or no more.
    case availability(Bool)
    /// The status changed. Of a burst the newest is told, at most one in ``MediaClientOptions/statusInterval``.
    case status(MediaSnapshot)
    /// Another medium, or another description of it; nil when nothing is loaded.
    case metadata(MediaInformation?)
    /// A media session began.
    case sessionStarted(Int)
    /// A media session is over; the reason is nil when the connection was lost or nothing was said.
    case sessionEnded(Int, reason: IdleReason?)
    /// Another item is prepared as the next one; nil when none is.
    case preload(itemID: Int?)
    /// The queue changed, in the order of the list.
    case queue([MediaQueueChange])
    /// The player's state without the idle moments between two items.
    case settled(MediaPlayerState)
    /// Something failed that no request waits for: an ERROR of playback, a LOAD_FAILED that came late.
    case error(RequestError)
    /// A message of the media namespace that a client does not know.
    case message(JSONObject)
}
