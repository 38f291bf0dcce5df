public import CastWire
public import NIOCore

/// Controls the media of an app, from any thread.
///
///     try await client.perform(.load(media))
///     try await client.perform(.seek(to: 42, then: .start))
///     for await event in client.events() { … }
///
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
            return try await self.eventLoop.submit { driver.value.start(command) }.get()
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

    /// Fails only when the event loop is gone, and then nothing matters any more.
    private func onLoop(_ body: @escaping @Sendable (MediaClientDriver) -> Void) async {
        let driver = self.driver
        try? await self.eventLoop.submit { body(driver.value) }.get()
    }
}
