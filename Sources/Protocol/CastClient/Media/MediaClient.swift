public import CastWire
public import NIOCore
import Synchronization
import SystemPrimitives

/// Controls the media of an app, from any thread.
///
///     try await client.perform(.load(media))
///     try await client.perform(.seek(to: 42, then: .start))
///     for await event in client.events() { … }
///
/// ``snapshot`` is what is known now and costs nothing to read; it follows the receiver, and is never changed ahead of it.
/// A command is a value, see ``MediaCommand``; the request that it makes can be waited for, watched and cancelled.
public final class MediaClient: Sendable {
    private let driver: NIOLoopBound<MediaClientDriver>
    private let eventLoop: any EventLoop
    private let hub: MediaClientHub

    init(driver: NIOLoopBound<MediaClientDriver>, eventLoop: any EventLoop, hub: MediaClientHub) {
        self.driver = driver
        self.eventLoop = eventLoop
        self.hub = hub
    }

    /// What is known now: the status, what it says of position, tracks and queue, and how the last media session ended.
    public var snapshot: MediaSnapshot { self.hub.snapshot }

    /// The queue as far as it is known; see ``followQueue()``.
    public var queue: MediaQueue { self.hub.queue }

    /// Seconds of the media that have been played by now; computed, nothing is sent.
    public var position: Double { self.snapshot.position(at: self.eventLoop.now) }

    /// The present instant of the clock that snapshots are told by.
    public var now: NIODeadline { self.eventLoop.now }

    /// What happens from now on; ends with the client. A slow reader loses the oldest events.
    /// - Parameter limit: how many events may wait.
    public func events(limit: Int = 256) -> AsyncStream<MediaEvent> { self.hub.subscribe(limit: limit) }

    /// Asks the app for something.
    public func start(_ command: MediaCommand) async -> MediaCommandRequest {
        let driver = self.driver
        do {
            return try await self.eventLoop.submit(CommandTrace.carried { driver.value.start(command) }).get()
        } catch {
            let request = MediaCommandRequest.application(id: 0, name: command.type.rawValue)
            request.finish(.failed(RequestError(.sessionNotActive, "the event loop is gone")))
            return request
        }
    }

    /// Asks the app for something and waits for its answer.
    /// - Throws: ``RequestError``.
    @discardableResult
    public func perform(_ command: MediaCommand) async throws(RequestError) -> JSONObject {
        try await self.start(command).reply()
    }

    /// Asks for the status and waits for it.
    /// - Throws: ``RequestError``.
    @discardableResult
    public func refresh(
        leavingOut omission: MediaCommand.StatusOmission = []
    ) async throws(RequestError) -> MediaSnapshot {
        try await self.perform(.refreshStatus(leavingOut: omission))
        return self.snapshot
    }

    /// Waits until what is known fulfils a condition, which is looked at after each event.
    ///
    /// - Parameters:
    ///   - timeout: How long that may take.
    ///   - isMet: The condition, such as `{ $0.playerState == .playing }`.
    /// - Returns: what is known then.
    /// - Throws: ``RequestError``: `timeout`, `cancelled`, and `sessionNotActive` when the app or the channel is gone.
    @discardableResult
    public func wait(
        for timeout: Duration, until isMet: @escaping @Sendable (MediaSnapshot) -> Bool
    ) async throws(RequestError) -> MediaSnapshot {
        let events = self.events()
        return try await race { () throws(RequestError) in
            let known = self.snapshot
            if isMet(known) { return known }
            if known.isAvailable {
                for await event in events {
                    let snapshot = self.snapshot
                    if isMet(snapshot) { return snapshot }
                    if event == .availability(false) { break }
                }
            }
            if Task.isCancelled { throw RequestError(.cancelled, "the wait was cancelled") }
            throw RequestError(.sessionNotActive, "the app, or the device, is gone")
        } against: { () throws(RequestError) in
            try? await Task.sleep(for: timeout)
            if Task.isCancelled { throw RequestError(.cancelled, "the wait was cancelled") }
            throw RequestError(.timeout, "what was waited for did not happen in time")
        }
    }

    /// Keeps the ids of all queue items up to date from now on; changes are told as ``MediaEvent/queue(_:)``.
    public func followQueue() async {
        await self.onLoop { $0.followQueue() }
    }

    /// Forgets what is known of the queue and asks for it anew.
    public func reloadQueue() async {
        await self.onLoop { $0.reloadQueue() }
    }

    /// Wishes for queue items by their places; they are told as updated when they come.
    public func wantQueueItems(at indices: [Int]) async {
        await self.onLoop { $0.wantQueueItems(indices) }
    }

    /// The queue items among some that are known, by their ids; they count as used, and nothing is asked for.
    public func knownQueueItems(_ ids: [Int]) async -> [Int: QueueItem] {
        let driver = self.driver
        return (try? await self.eventLoop.submit { driver.value.useQueueItems(ids) }.get()) ?? [:]
    }

    /// Forgets the queue items that are known, and no longer relies on the ids; nothing is asked for.
    public func forgetQueueItems() async {
        await self.onLoop { $0.forgetQueueItems() }
    }

    /// Fails only when the event loop is gone, and then nothing matters any more.
    private func onLoop(_ body: @escaping @Sendable (MediaClientDriver) -> Void) async {
        let driver = self.driver
        try? await self.eventLoop.submit { body(driver.value) }.get()
    }
}

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

/// How a media client behaves.
public struct MediaClientOptions: Hashable, Sendable {
    /// How long an answer may take (protocol notes, 7).
    public var answerTimeout: Duration
    /// How long a load may take; receivers were seen to give up after 20 s and more (protocol notes, 6.3).
    public var loadTimeout: Duration
    /// The shortest time between two status events: one load is told in a burst (protocol notes, quirk 30). Zero tells all.
    public var statusInterval: Duration
    /// How long a player must be idle to be taken for idle when another item may follow (protocol notes, quirk 21).
    public var idleDelay: Duration
    /// How many queue items are kept.
    public var queueCacheSize: Int
    /// How many queue items are asked for at once.
    public var queueFetchSize: Int
    /// How long wishes for queue items are collected before they are asked for.
    public var queueFetchDelay: Duration
    /// Whether the ids of each queue that an app shows are kept up to date by themselves, see ``MediaClient/queue``. An app that does not
    /// tell them is asked once.
    public var followsQueues: Bool
    /// Whether a command that the receiver says it cannot do is refused before it is sent.
    public var checksSupportedCommands: Bool

    /// Takes the defaults where nothing is said.
    public init(
        answerTimeout: Duration = .seconds(10), loadTimeout: Duration = .seconds(60),
        statusInterval: Duration = .milliseconds(100), idleDelay: Duration = .seconds(2), queueCacheSize: Int = 200,
        queueFetchSize: Int = 20, queueFetchDelay: Duration = .milliseconds(50), followsQueues: Bool = false,
        checksSupportedCommands: Bool = true
    ) {
        self.answerTimeout = answerTimeout
        self.loadTimeout = loadTimeout
        self.statusInterval = statusInterval
        self.idleDelay = idleDelay
        self.queueCacheSize = queueCacheSize
        self.queueFetchSize = queueFetchSize
        self.queueFetchDelay = queueFetchDelay
        self.followsQueues = followsQueues
        self.checksSupportedCommands = checksSupportedCommands
    }
}

/// What a media client shows to other threads: the newest of what it knows, and its events.
final class MediaClientHub: Sendable {
    private struct State {
        var snapshot = MediaSnapshot()
        var queue: MediaQueue
        var nextSubscriber = 0
        var subscribers: [Int: AsyncStream<MediaEvent>.Continuation] = [:]
        var isOver = false
    }

    private let state: Mutex<State>

    init(queue: MediaQueue) {
        self.state = Mutex(State(queue: queue))
    }

    var snapshot: MediaSnapshot { self.state.withLock { $0.snapshot } }
    var queue: MediaQueue { self.state.withLock { $0.queue } }

    func update(_ snapshot: MediaSnapshot, queue: MediaQueue) {
        self.state.withLock { state in
            state.snapshot = snapshot
            state.queue = queue
        }
    }

    func publish(_ event: MediaEvent) {
        let subscribers = self.state.withLock { Array($0.subscribers.values) }
        for subscriber in subscribers { subscriber.yield(event) }
    }

    func subscribe(limit: Int) -> AsyncStream<MediaEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: MediaEvent.self, bufferingPolicy: .bufferingNewest(limit))
        let id = self.state.withLock { state -> Int? in
            guard !state.isOver else { return nil }
            state.nextSubscriber += 1
            state.subscribers[state.nextSubscriber] = continuation
            return state.nextSubscriber
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.subscribers.removeValue(forKey: id) }
        }
        return stream
    }

    func finish() {
        let subscribers = self.state.withLock { state in
            state.isOver = true
            defer { state.subscribers = [:] }
            return Array(state.subscribers.values)
        }
        for subscriber in subscribers { subscriber.finish() }
    }
}
