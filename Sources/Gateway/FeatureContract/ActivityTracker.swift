package import CastWire
package import GatewayJournal
package import GatewayOperations
package import NIOCore
import Synchronization
import SystemPrimitives

/// Whether anything uses the gateway by its operations or events: calls that are under way, and readers of events.
///
/// While nothing does for long enough, ``BackgroundFeature`` puts the gateway in the background; whatever comes first brings it back, and a call
/// waits for that.
package final class ActivityTracker: CallObserver, Sendable {
    private struct State {
        var count = 0
        var lastUse = NIODeadline.now()
        var onReturn: (@Sendable (EventLoopPromise<Void>?) -> Void)?
    }

    /// How long a call waits for the gateway to come back.
    private static let patience = TimeAmount.seconds(5)

    private let state = Mutex(State())
    private let isAway = Atomic(false)
    private let eventLoops: any EventLoopGroup

    init(eventLoops: any EventLoopGroup) {
        self.eventLoops = eventLoops
    }

    /// Sets what brings the gateway back; called from any thread with what to complete then, if anything.
    package func attach(_ onReturn: @escaping @Sendable (EventLoopPromise<Void>?) -> Void) {
        self.state.withLock { $0.onReturn = onReturn }
    }

    /// Sets whether the gateway is in the background: then users have to bring it back.
    package func set(isAway: Bool) {
        self.isAway.store(isAway, ordering: .releasing)
    }

    /// Since when nothing uses the gateway; nil while something does.
    package var unusedSince: NIODeadline? { self.state.withLock { $0.count == 0 ? $0.lastUse : nil } }

    // MARK: Users

    /// A reader begins.
    func enter() {
        let onReturn = self.state.withLock { state in
            state.count += 1
            return state.onReturn
        }
        if self.isAway.load(ordering: .acquiring) { onReturn?(nil) }
    }

    /// A user is gone.
    func leave() {
        self.state.withLock { state in
            state.count -= 1
            state.lastUse = .now()
        }
    }

    package func callBegins() async {
        let onReturn = self.state.withLock { state in
            state.count += 1
            return state.onReturn
        }
        guard self.isAway.load(ordering: .acquiring), let onReturn else { return }
        let promise = self.eventLoops.any().makePromise(of: Void.self, within: Self.patience) { $0.succeed() }
        onReturn(promise)
        try? await promise.futureResult.get()
    }

    package func callEnds() { self.leave() }
}

/// Events for callers: each of their readers is a user of the gateway.
package struct PresentEvents: EventSource {
    /// Where they come from.
    package let source: any EventSource
    /// Learns of readers.
    package let presence: ActivityTracker

    package init(source: any EventSource, presence: ActivityTracker) {
        self.source = source
        self.presence = presence
    }

    package func subscribe(
        to topics: EventTopics, from position: JournalPosition?, for caller: Caller,
        wake: @escaping @Sendable () -> Void
    ) throws(OperationProblem) -> any EventFeed {
        let feed = try self.source.subscribe(to: topics, from: position, for: caller, wake: wake)
        return PresentFeed(feed, self.presence)
    }

    package func state(for caller: Caller) async -> JSONObject { await self.source.state(for: caller) }
}

/// A reader's feed, which is a user of the gateway until it ends.
private final class PresentFeed: EventFeed {
    private let feed: any EventFeed
    private let presence: ActivityTracker
    private let isThere = Atomic(true)

    init(_ feed: any EventFeed, _ presence: ActivityTracker) {
        self.feed = feed
        self.presence = presence
        presence.enter()
    }

    deinit { self.leave() }

    private func leave() {
        if self.isThere.exchange(false, ordering: .relaxed) { self.presence.leave() }
    }

    func take(upTo bytes: Int) -> [JournalFrame] { self.feed.take(upTo: bytes) }

    var end: FeedEnd? { self.feed.end }

    func cancel() {
        self.feed.cancel()
        self.leave()
    }
}
