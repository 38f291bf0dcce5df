import CastWire
import NIOCore

/// The app's queue as far as it is known, and what is asked of it: all ids while the queue is followed, and items that users
/// wish for.
///
/// Each method that may ask takes the media session that can be asked; nil when there is none, or the app is out of reach.
struct FollowedQueue: Sendable {
    /// Whether the ids are kept up to date.
    private enum Following {
        /// They are not.
        case none
        /// Those of media sessions that show that they have a queue, as long as the app tells them.
        case found
        /// Always: a caller wants it.
        case wanted
    }

    /// How many items of a status are compared with the ids.
    private static let comparedItems = 20
    /// After so many failures in a row the app is taken for one that does not tell the ids.
    private static let maximumFailures = 3
    /// How an attempt fails that says nothing of what the app can do.
    private static let passingFailures: Set<CastErrorCode> = [
        .applicationNotRunning, .channelNotConnected, .disconnected, .networkError, .sendBufferFull, .sessionNotActive,
    ]

    /// What is known.
    private(set) var queue: MediaQueue
    /// When the items that are wished for are asked for.
    private(set) var deadline: NIODeadline?
    private var following: Following
    /// How often in a row the app did not tell the ids; a refusal counts as all attempts.
    private var failures = 0
    /// An item of a status that the ids did not have, and for which they were asked for anew.
    private var stranger: Int?
    /// The ids changed while they were being asked for.
    private var areIDsOutdated = false
    private let fetchSize: Int
    private let fetchDelay: Duration

    init(_ options: MediaClientOptions) {
        self.queue = MediaQueue(cacheSize: options.queueCacheSize)
        self.following = options.followsQueues ? .found : .none
        self.fetchSize = options.queueFetchSize
        self.fetchDelay = options.queueFetchDelay
    }

    // MARK: What users want

    /// Keeps the ids of all items up to date from now on.
    mutating func follow(_ session: Int?, at now: NIODeadline, _ outbox: inout MediaOutbox) {
        guard self.following != .wanted else { return }
        self.following = .wanted
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

    /// The items among some that are known; they count as used.
    mutating func use(_ ids: [Int]) -> [Int: QueueItem] { self.queue.use(ids) }

    /// Forgets the items: they, and the ids, are asked for when they are needed.
    mutating func forgetItems() { self.queue.forgetItems() }

    // MARK: What happens

    /// Another media session is there, or none.
    mutating func belongsToOther(_ session: Int?, at now: NIODeadline, _ outbox: inout MediaOutbox) {
        Self.tell(self.queue.clear(), &outbox)
        self.stranger = nil
        if self.following == .wanted { self.fetchIDs(session, at: now, &outbox) }
    }

    /// Another app is there, or another session of it: it may tell what the last one did not.
    mutating func belongsToOtherApp() { self.failures = 0 }

    /// The app is out of reach: nothing is asked for by itself, and what changes meanwhile is not told.
    mutating func suspend() {
        self.deadline = nil
        self.queue.doubt()
    }

    /// A command of this sender changed the queue; the app tells of that before it answers, or after.
    mutating func changedByCommand() { self.queue.doubt() }

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

    /// A MEDIA_STATUS was read. One that shows a queue, or an item that the ids do not have, makes these be asked for.
    mutating func received(
        _ status: MediaStatus?, of session: Int?, at now: NIODeadline, _ outbox: inout MediaOutbox
    ) {
        guard self.following == .found, let status, status.queueData != nil || status.items?.count ?? 0 > 1 else {
            return
        }
        guard let ids = self.queue.itemIDs else { return self.fetchIDs(session, at: now, &outbox) }
        let unknown = status.items?.prefix(Self.comparedItems).lazy.compactMap(\.itemID).first { !ids.contains($0) }
        // Once for each: an app may well tell of items that its queue never has.
        let isStrange = unknown != nil && unknown != self.stranger
        if isStrange { self.stranger = unknown }
        if isStrange || !self.queue.isCurrent { self.fetchIDs(session, at: now, &outbox) }
    }

    /// QUEUE_CHANGE.
    mutating func received(
        _ change: QueueChange, of session: Int?, at now: NIODeadline, _ outbox: inout MediaOutbox
    ) {
        guard self.following == .wanted || self.following == .found && !self.isRefused else {
            // What is not followed must not be taken for complete.
            _ = self.queue.clear()
            return outbox.emit(.queue([.outdated]))
        }
        let (changes, needsIDs) = self.queue.received(change)
        Self.tell(changes, &outbox)
        if needsIDs || self.queue.itemIDs == nil { self.fetchIDs(session, at: now, &outbox) }
        // Items are asked for when a caller needs them.
        if self.following == .found { self.queue.wantNothing() }
        if self.queue.wantsItems { self.scheduleFetch(at: now, outbox) }
    }

    /// The request for the ids ended.
    mutating func endedIDs(
        _ outcome: RequestOutcome, of session: Int?, at now: NIODeadline, _ outbox: inout MediaOutbox
    ) {
        switch outcome {
        case .completed: self.failures = self.queue.itemIDs == nil ? Self.maximumFailures : 0
        case .failed(let error) where error.reason == MediaErrorReason.invalidMediaSessionID.rawValue:
            self.failures += 1
        case .failed(let error) where Self.passingFailures.contains(error.code): break
        case .failed, .timedOut: self.failures = Self.maximumFailures
        case .aborted: break
        }
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

    /// The app does not tell the ids: it is not asked for them by itself.
    private var isRefused: Bool { self.failures >= Self.maximumFailures }

    private mutating func fetchIDs(_ session: Int?, at now: NIODeadline, _ outbox: inout MediaOutbox) {
        guard let session, self.following == .wanted || !self.isRefused else { return }
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
