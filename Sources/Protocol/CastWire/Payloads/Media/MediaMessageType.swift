/// The type of a message in the media namespace that a sender sends (protocol notes, 6.2).
public struct MediaRequestType: WireWord {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Loads one medium, or a queue in `queueData`.
    public static let load = MediaRequestType(rawValue: "LOAD")
    /// Loads what a deep link names.
    public static let loadByEntity = MediaRequestType(rawValue: "LOAD_BY_ENTITY")
    /// Plays.
    public static let play = MediaRequestType(rawValue: "PLAY")
    /// Pauses.
    public static let pause = MediaRequestType(rawValue: "PAUSE")
    /// Unloads the media.
    public static let stop = MediaRequestType(rawValue: "STOP")
    /// Moves the position.
    public static let seek = MediaRequestType(rawValue: "SEEK")
    /// Asks for the status.
    public static let getStatus = MediaRequestType(rawValue: "GET_STATUS")
    /// Sets the volume of the stream, not of the device.
    public static let setVolume = MediaRequestType(rawValue: "SET_VOLUME")
    /// Sets the speed.
    public static let setPlaybackRate = MediaRequestType(rawValue: "SET_PLAYBACK_RATE")
    /// Chooses tracks and the style of text.
    public static let editTracksInfo = MediaRequestType(rawValue: "EDIT_TRACKS_INFO")
    /// Chooses the language of the sound.
    public static let editAudioTracks = MediaRequestType(rawValue: "EDIT_AUDIO_TRACKS")
    /// Loads a queue.
    public static let queueLoad = MediaRequestType(rawValue: "QUEUE_LOAD")
    /// Inserts items.
    public static let queueInsert = MediaRequestType(rawValue: "QUEUE_INSERT")
    /// Changes items, the current item or the order.
    public static let queueUpdate = MediaRequestType(rawValue: "QUEUE_UPDATE")
    /// Removes items.
    public static let queueRemove = MediaRequestType(rawValue: "QUEUE_REMOVE")
    /// Moves items.
    public static let queueReorder = MediaRequestType(rawValue: "QUEUE_REORDER")
    /// Goes to the next item.
    public static let queueNext = MediaRequestType(rawValue: "QUEUE_NEXT")
    /// Goes to the item before.
    public static let queuePrevious = MediaRequestType(rawValue: "QUEUE_PREV")
    /// Mixes the items.
    public static let queueShuffle = MediaRequestType(rawValue: "QUEUE_SHUFFLE")
    /// Asks for the ids of all items.
    public static let queueGetItemIDs = MediaRequestType(rawValue: "QUEUE_GET_ITEM_IDS")
    /// Asks for items by id.
    public static let queueGetItems = MediaRequestType(rawValue: "QUEUE_GET_ITEMS")
    /// Asks for the items around one.
    public static let queueGetItemRange = MediaRequestType(rawValue: "QUEUE_GET_ITEM_RANGE")
    /// Skips the clip of a break.
    public static let skipAd = MediaRequestType(rawValue: "SKIP_AD")
    /// Prepares an item of the queue.
    public static let preload = MediaRequestType(rawValue: "PRELOAD")
    /// Hints at what will be loaded.
    public static let precache = MediaRequestType(rawValue: "PRECACHE")
    /// Hands over credentials.
    public static let setCredentials = MediaRequestType(rawValue: "SET_CREDENTIALS")
    /// Asks for credentials that hold again, when those that were handed over have expired.
    public static let refreshCredentials = MediaRequestType(rawValue: "REFRESH_CREDENTIALS")
    /// Says how a load that the maker's cloud takes part in goes on.
    public static let cloudStatus = MediaRequestType(rawValue: "CLOUD_STATUS")
    /// Likes, dislikes, follows …
    public static let userAction = MediaRequestType(rawValue: "USER_ACTION")
    /// Shows what plays on the screen.
    public static let displayStatus = MediaRequestType(rawValue: "DISPLAY_STATUS")
    /// Says whether the app is in focus.
    public static let focusState = MediaRequestType(rawValue: "FOCUS_STATE")
    /// A command that only the app knows.
    public static let customCommand = MediaRequestType(rawValue: "CUSTOM_COMMAND")
    /// Plays the last media once more.
    public static let playAgain = MediaRequestType(rawValue: "PLAY_AGAIN")
    /// Speaks a text of the assistant.
    public static let playString = MediaRequestType(rawValue: "PLAY_STRING")
    /// Runs a script of the assistant.
    public static let executeActionScript = MediaRequestType(rawValue: "EXECUTE_ACTION_SCRIPT")
    /// Shows the controls on the screen.
    public static let showRemoteControlOverlay = MediaRequestType(rawValue: "SHOW_REMOTE_CONTROL_OVERLAY")
    /// Asks for a state from which another device can go on.
    public static let storeSession = MediaRequestType(rawValue: "STORE_SESSION")
    /// Goes on from a stored state.
    public static let resumeSession = MediaRequestType(rawValue: "RESUME_SESSION")
}

/// The type of a message in the media namespace that a receiver sends (protocol notes, 6.3).
public struct MediaResponseType: WireWord {
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
