/// The type of a message in the media namespace that a receiver sends (protocol notes, 6.3).
public struct MediaResponseType: RawRepresentable, Hashable, Sendable {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// What is loaded and how it plays.
    public static let mediaStatus = MediaResponseType(rawValue: "MEDIA_STATUS")
    /// Nothing is loaded, or the state does not allow it.
    public static let invalidPlayerState = MediaResponseType(rawValue: "INVALID_PLAYER_STATE")
    /// Malformed or refused; `reason` says why.
    public static let invalidRequest = MediaResponseType(rawValue: "INVALID_REQUEST")
    /// The load failed.
    public static let loadFailed = MediaResponseType(rawValue: "LOAD_FAILED")
    /// A newer load replaced this one.
    public static let loadCancelled = MediaResponseType(rawValue: "LOAD_CANCELLED")
    /// Playback failed.
    public static let error = MediaResponseType(rawValue: "ERROR")
    /// The queue changed.
    public static let queueChange = MediaResponseType(rawValue: "QUEUE_CHANGE")
    /// The ids of all items.
    public static let queueItemIDs = MediaResponseType(rawValue: "QUEUE_ITEM_IDS")
    /// Some items.
    public static let queueItems = MediaResponseType(rawValue: "QUEUE_ITEMS")
    /// A state from which another device can go on.
    public static let sessionState = MediaResponseType(rawValue: "SESSION_STATE")
}
