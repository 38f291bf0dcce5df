import CastWire
import NIOCore

/// The app's queue as far as it is known, and what is asked of it: all ids while the queue is followed, and items that users
/// wish for.
///
/// Each method that may ask takes the media session that can be asked; nil when there is none, or the app is out of reach.
struct FollowedQueue: Sendable {
    /// What is known.
    private(set) var queue: MediaQueue
    /// When the items that are wished for are asked for.
    private(set) var deadline: NIODeadline?
    private var isFollowed = false
    /// The ids changed while they were being asked for.
    private var areIDsOutdated = false
    private let fetchSize: Int
    private let fetchDelay: Duration

    init(_ options: MediaClientOptions) {
        self.queue = MediaQueue(cacheSize: options.queueCacheSize)
        self.fetchSize = options.queueFetchSize
        self.fetchDelay = options.queueFetchDelay
    }

    // MARK: What users want

    /// Keeps the ids of all items up to date from now on.
    mutating func follow(_ session: Int?, at now: NIODeadline, _ outbox: inout MediaOutbox) {
        guard !self.isFollowed else { return }
        self.isFollowed = true
        self.fetchIDs(session, at: now, &outbox)
    }

    /// Forgets what is known and asks for it anew.
    mutating func reload(_ session: Int?, at now: NIODeadline, _ outbox: inout MediaOutbox) {
        Self.tell(self.queue.clear(), &outbox)
        self.fetchIDs(session, at: now, &outbox)
    }

    /// Wishes for items by their places; several wishes become one request.
    mutating func want(_ indices: [Int], at now: NIODeadline, _ outbox: MediaOutbox) {
        if self.queue.want(indices) { self.scheduleFetch(at: now, outbox) }
    }

    // MARK: What happens

    /// Another media session is there, or none.
    mutating func belongsToOther(_ session: Int?, at now: NIODeadline, _ outbox: inout MediaOutbox) {
        Self.tell(self.queue.clear(), &outbox)
        if self.isFollowed { self.fetchIDs(session, at: now, &outbox) }
    }

    /// The app is out of reach: nothing is asked for by itself.
    mutating func suspend() { self.deadline = nil }

    /// Asks for items when that is due.
    mutating func expire(_ session: Int?, at now: NIODeadline, _ outbox: inout MediaOutbox) {
        guard let deadline, now >= deadline else { return }
        self.deadline = nil
        guard let session, self.queue.wantsItems else { return }
        let ids = self.queue.takeWanted(limit: self.fetchSize)
        var request = MediaRequest()
        request.type = .queueGetItems
        request.mediaSessionID = session
        request.itemIDs = ids
        try? outbox.ask(request, for: .queueItems(ids), at: now)
    }

    // MARK: What the app says

    /// QUEUE_ITEM_IDS.
    /// - Parameter items: those of the status, which are known without being asked for.
    mutating func received(ids json: JSONObject, items: [QueueItem]?, _ outbox: inout MediaOutbox) {
        let reply = MediaRequest(json: json)
        guard let ids = reply.itemIDs else { return }
        Self.tell(self.queue.received(ids: ids, sequenceNumber: reply.sequenceNumber), &outbox)
        if let items { self.received(items: items, &outbox) }
    }

    /// QUEUE_ITEMS.
    mutating func received(items: [QueueItem], _ outbox: inout MediaOutbox) {
        Self.tell(self.queue.received(items: items), &outbox)
    }

    /// The items of a MEDIA_STATUS, which count when the ids are known.
    mutating func received(statusItems items: [QueueItem], _ outbox: inout MediaOutbox) {
        if self.queue.itemIDs != nil { self.received(items: items, &outbox) }
    }

    /// QUEUE_CHANGE.
    mutating func received(
        _ change: QueueChange, of session: Int?, at now: NIODeadline, _ outbox: inout MediaOutbox
    ) {
        guard self.isFollowed else {
            // What is not followed must not be taken for complete.
            _ = self.queue.clear()
            return outbox.emit(.queue([.outdated]))
        }
        let (changes, needsIDs) = self.queue.received(change)
        Self.tell(changes, &outbox)
        if needsIDs || self.queue.itemIDs == nil { self.fetchIDs(session, at: now, &outbox) }
        if self.queue.wantsItems { self.scheduleFetch(at: now, outbox) }
    }

    /// The request for the ids ended.
    mutating func endedIDs(of session: Int?, at now: NIODeadline, _ outbox: inout MediaOutbox) {
        if self.areIDsOutdated { self.fetchIDs(session, at: now, &outbox) }
    }

    /// A request for items ended.
    mutating func endedItems(_ ids: [Int], _ outcome: RequestOutcome, at now: NIODeadline, _ outbox: MediaOutbox) {
        // Receivers send as many items as fit; as long as some come, the others are asked for again.
        if case .completed = outcome {
            let missing = ids.filter { self.queue.item(id: $0) == nil }
            if missing.count < ids.count { self.queue.wantAgain(missing) }
        }
        if self.queue.wantsItems { self.scheduleFetch(at: now, outbox) }
    }

    // MARK: Asking

    private mutating func fetchIDs(_ session: Int?, at now: NIODeadline, _ outbox: inout MediaOutbox) {
        guard let session else { return }
        let isAsking = outbox.isWaiting { if case .queueIDs = $0 { true } else { false } }
        self.areIDsOutdated = isAsking
        guard !isAsking else { return }
        var request = MediaRequest()
        request.type = .queueGetItemIDs
        request.mediaSessionID = session
        // An app that is asked too much is asked at the next change.
        try? outbox.ask(request, for: .queueIDs, at: now)
    }

    private mutating func scheduleFetch(at now: NIODeadline, _ outbox: MediaOutbox) {
        let isAsking = outbox.isWaiting { if case .queueItems = $0 { true } else { false } }
        guard self.deadline == nil, !isAsking else { return }
        self.deadline = now + TimeAmount(self.fetchDelay)
    }

    private static func tell(_ changes: [MediaQueueChange], _ outbox: inout MediaOutbox) {
        if !changes.isEmpty { outbox.emit(.queue(changes)) }
    }
}
