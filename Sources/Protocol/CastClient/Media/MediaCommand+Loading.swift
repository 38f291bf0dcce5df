public import CastWire

extension MediaCommand {
    /// Loads media, or a queue.
    ///
    /// `autoplay` has three states: absent means true, a value means itself, and JSON's `null` leaves it to the first item of
    /// the queue; see ``leavingAutoplayToItems(_:)``. A `currentTime` that is no number is left out. Fails before anything is
    /// sent when there is nothing to play.
    public static func load(_ request: LoadRequest) -> MediaCommand {
        var command = MediaCommand(.load, form: .load, session: .none)
        for member in request.json.members where member.name != "type" { command.body[member.name] = member.value }
        return command
    }

    /// Loads one medium.
    public static func load(
        _ media: MediaInformation, autoplay: Bool = true, at position: Double? = nil, rate: Double? = nil,
        activeTrackIDs: [Int]? = nil
    ) -> MediaCommand {
        var request = LoadRequest()
        request.media = media
        request.autoplay = autoplay
        request.currentTime = position
        request.playbackRate = rate
        request.activeTrackIDs = activeTrackIDs
        return .load(request)
    }

    /// The request whose playback begins as the first item of its queue says; a single medium does not start.
    public static func leavingAutoplayToItems(_ request: LoadRequest) -> LoadRequest {
        var request = request
        request.json["autoplay"] = .null
        return request
    }

    /// Loads what a deep link names.
    public static func load(entity: String, shuffled: Bool? = nil, options: JSONObject? = nil) -> MediaCommand {
        MediaCommand(.loadByEntity, session: .none) { request in
            request.entity = entity
            request.shuffles = shuffled
            request.json["loadOptions"] = options.map(JSONValue.object)
        }
    }

    /// Prepares a medium to follow an item.
    public static func preload(_ media: MediaInformation, itemID: Int) -> MediaCommand {
        MediaCommand(.preload, session: .optional) { request in
            request.json["media"] = .object(media.json)
            request.itemID = itemID
        }
    }

    /// Lets the app fetch something early; what the text means is the app's affair.
    public static func precache(_ data: String) -> MediaCommand {
        MediaCommand(.precache, session: .none) { $0.json["precacheData"] = .string(data) }
    }

    /// Hands the app other credentials.
    public static func setCredentials(
        _ credentials: LoadCredentials, forRequest id: Int? = nil, source: Int? = nil
    ) -> MediaCommand {
        MediaCommand(.setCredentials, session: .none) { request in
            request.json["credentials"] = .string(credentials.credentials)
            request.json["credentialsType"] = credentials.type.map(JSONValue.string)
            request.json["forRequestId"] = id.map { .number($0) }
            request.json["source"] = source.map { .number($0) }
        }
    }

    /// Asks for a state from which another device can go on (protocol notes, 8.5).
    public static func storeSession() -> MediaCommand { MediaCommand(.storeSession) }

    /// Goes on from a state of another device (protocol notes, 8.5).
    public static func resumeSession(_ state: SessionState) -> MediaCommand {
        MediaCommand(.resumeSession, session: .none) { $0.sessionState = state }
    }
}

extension MediaCommand {
    /// Loads a queue with the message of its own that older receivers know; ``load(_:)`` with `queueData` is the newer way.
    public static func loadQueue(
        _ items: [QueueItem], startIndex: Int = 0, repeatMode: RepeatMode? = nil, at position: Double? = nil
    ) -> MediaCommand {
        MediaCommand(.queueLoad, session: .none) { request in
            request.items = items.map(\.withoutID)
            request.startIndex = startIndex
            request.repeatMode = repeatMode
            request.currentTime = position
        }
    }

    /// Inserts items; ids that they bear are left out, since the receiver gives new ones.
    ///
    /// - Parameters:
    ///   - before: The item that they go before; nil appends.
    ///   - playing: The index, within these items, of the one to play at once; nil plays on.
    ///   - position: Where that one starts, in seconds.
    public static func insert(
        _ items: [QueueItem], before itemID: Int? = nil, playing index: Int? = nil, at position: Double? = nil
    ) -> MediaCommand {
        MediaCommand(.queueInsert) { request in
            request.items = items.map(\.withoutID)
            request.insertBefore = itemID
            request.currentItemIndex = index
            request.currentTime = position
        }
    }

    /// Appends items to the queue when there is one; otherwise a new queue is loaded with them, in the repeat mode that the last
    /// queue had, or none.
    public static func enqueue(_ items: [QueueItem], before itemID: Int? = nil) -> MediaCommand {
        MediaCommand(.queueInsert, form: .enqueue(items, before: itemID), session: .none)
    }

    /// Changes items, each found by its id.
    public static func update(_ items: [QueueItem]) -> MediaCommand {
        MediaCommand(.queueUpdate) { $0.items = items }
    }

    /// Removes items; a queue without items ends the media session.
    /// - Parameter current: the item to go to when the one that plays is removed; nil means the next one.
    public static func remove(_ itemIDs: [Int], thenPlaying current: Int? = nil) -> MediaCommand {
        MediaCommand(.queueRemove) { request in
            request.itemIDs = itemIDs
            request.currentItemID = current
        }
    }

    /// Moves items, in this order, before another one.
    /// - Parameter before: nil moves them to the end.
    public static func reorder(_ itemIDs: [Int], before itemID: Int? = nil) -> MediaCommand {
        MediaCommand(.queueReorder) { request in
            request.itemIDs = itemIDs
            request.insertBefore = itemID
        }
    }

    /// Moves one item before another one; nil moves it to the end.
    public static func move(_ itemID: Int, before other: Int?) -> MediaCommand { .reorder([itemID], before: other) }

    /// Plays an item.
    /// - Parameter position: where it starts, in seconds; nil means where the item says.
    public static func jump(to itemID: Int, at position: Double? = nil) -> MediaCommand {
        MediaCommand(.queueUpdate) { request in
            request.currentItemID = itemID
            request.currentTime = position
        }
    }

    /// Goes forward by so many items, or backward below zero: what receivers of all ages understand.
    public static func jump(by distance: Int) -> MediaCommand {
        MediaCommand(.queueUpdate) { $0.jump = distance }
    }

    /// Goes to the next item.
    public static func next() -> MediaCommand { .jump(by: 1) }

    /// Goes to the item before this one.
    public static func previous() -> MediaCommand { .jump(by: -1) }

    /// Sets what follows the end of an item.
    public static func setRepeatMode(_ mode: RepeatMode) -> MediaCommand {
        MediaCommand(.queueUpdate) { $0.repeatMode = mode }
    }

    /// Shuffles the queue, or puts it back in order; other fields of the update may be set too.
    public static func setShuffled(_ isShuffled: Bool) -> MediaCommand {
        MediaCommand(.queueUpdate) { $0.shuffles = isShuffled }
    }

    /// Asks for the ids of all items.
    public static func fetchItemIDs() -> MediaCommand { MediaCommand(.queueGetItemIDs) }

    /// Asks for some items.
    public static func fetchItems(_ itemIDs: [Int]) -> MediaCommand {
        MediaCommand(.queueGetItems) { $0.itemIDs = itemIDs }
    }

    /// Asks for the items round one.
    public static func fetchItems(around itemID: Int, next: Int? = nil, previous: Int? = nil) -> MediaCommand {
        MediaCommand(.queueGetItemRange) { request in
            request.itemID = itemID
            request.nextCount = next
            request.previousCount = previous
        }
    }
}

/// Who loads, for the app: opaque text that is never logged.
public struct LoadCredentials: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// Text for the app, a token for example.
    public var credentials: String
    /// Where the credentials come from, such as `web` or a word of the sender's own.
    public var type: String?

    /// Makes credentials.
    public init(_ credentials: String, type: String? = nil) {
        self.credentials = credentials
        self.type = type
    }

    /// The type alone.
    public var description: String { "credentials of type \(self.type ?? "unknown")" }
    /// The type alone.
    public var debugDescription: String { self.description }
}
