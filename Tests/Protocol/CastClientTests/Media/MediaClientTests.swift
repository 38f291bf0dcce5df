import CastWire
import NIOCore
import NIOPosix
import Testing

@testable import CastClient

/// The whole client with Castway's own player at the other end.
@Suite(.timeLimit(.minutes(1))) struct MediaClientTests {
    private static func with(
        _ body: (MediaClient, NIOLoopBound<PlayerTransport>) async throws -> Void
    ) async throws {
        try await PlayerTransport.with(body)
    }

    /// Looks at once and again after each event.
    private static func wait(for events: AsyncStream<MediaEvent>, until isMet: () -> Bool) async {
        if isMet() { return }
        for await _ in events where isMet() { return }
    }

    private static func media(_ id: String) -> MediaInformation {
        var media = MediaInformation()
        media.contentURL = "http://192.0.2.9/\(id).mp4"
        media.contentType = "video/mp4"
        media.duration = 600
        return media
    }

    @Test func mediaIsLoadedAndControlled() async throws {
        try await Self.with { client, _ in
            try await client.perform(.load(Self.media("one"), autoplay: false, at: 30))
            #expect(client.snapshot.playerState == .paused)
            #expect(client.position == 30)
            try await client.perform(.play(at: 60))
            #expect(client.snapshot.playerState == .playing)
            #expect(client.position >= 60)
            try await client.perform(.setPlaybackRate(2))
            #expect(client.snapshot.playbackRate == 2)
            try await client.perform(.setStreamVolume(0.25))
            #expect(client.snapshot.streamVolume?.level == 0.25)
            try await client.perform(.pause())
            try await client.perform(.seek(by: -10))
            #expect(client.position < 60)
            try await client.perform(.stop())
            try await client.perform(.stop())
            await #expect(throws: RequestError.self) { try await client.perform(.pause()) }
        }
    }

    @Test func aQueueIsBuiltAndFollowed() async throws {
        try await Self.with { client, _ in
            let events = client.events()
            await client.followQueue()
            func item(_ id: String) -> QueueItem {
                var item = QueueItem()
                item.media = Self.media(id)
                return item
            }
            try await client.perform(.enqueue([item("a")]))
            try await client.perform(.enqueue([item("b"), item("c")]))
            try await client.perform(.setRepeatMode(.all))
            await Self.wait(for: events) { client.queue.count == 3 }
            let ids = try #require(client.queue.itemIDs)
            try await client.perform(.jump(to: ids[2]))
            #expect(client.snapshot.currentItemID == ids[2])
            #expect(client.snapshot.media?.contentID?.contains("/c.mp4") == true)
            try await client.perform(.next())
            #expect(client.snapshot.currentItemID == ids[0])
            try await client.perform(.reorder([ids[2]], before: ids[0]))
            try await client.perform(.remove([ids[1]]))
            await Self.wait(for: events) { client.queue.itemIDs == [ids[2], ids[0]] }
            await client.wantQueueItems(at: [0, 1])
            await Self.wait(for: events) { client.queue.item(at: 0) != nil && client.queue.item(at: 1) != nil }
            #expect(client.queue.item(at: 0)?.media?.contentID?.contains("/c.mp4") == true)
        }
    }

    @Test func aStateIsStoredAndResumed() async throws {
        try await Self.with { client, _ in
            try await client.perform(.load(Self.media("one"), autoplay: false, at: 30))
            let reply = try await client.perform(.storeSession())
            let state = try #require(reply.object("sessionState").map { SessionState(json: $0) })
            #expect(state.loadRequestData?.currentTime == 30)
            try await client.perform(.stop())
            try await client.perform(.resumeSession(state))
            #expect(client.snapshot.playerState == .paused)
            #expect(client.position == 30)
        }
    }

    @Test func everySubscriberHears() async throws {
        try await Self.with { client, transport in
            let first = client.events()
            let second = client.events()
            try await client.perform(.load(Self.media("one")))
            for await case .sessionStarted in first { break }
            for await case .sessionStarted in second { break }
            try await transport.eventLoop.submit { transport.value.suspend() }.get()
            for await case .availability(false) in first { break }
            let failure = await client.start(.pause()).outcome()
            #expect(failure == .failed(RequestError(.channelNotConnected, "the device is out of reach")))
        }
    }

    @Test func requestsAreObjects() async throws {
        try await Self.with { client, _ in
            let load = await client.start(.load(Self.media("one")))
            #expect(load.name == "LOAD")
            let outcome = await load.outcome()
            #expect(outcome.isCompleted && !load.isInProgress && load.error == nil)
            load.cancel()
            #expect(load.outcomeSoFar == outcome)
            let bad = await client.start(.seek(to: -1))
            #expect(await bad.outcome() == .failed(RequestError(.invalidRequest, "currentTime is no time")))
            #expect(bad.error?.code == .invalidRequest)
            let own = MediaCommandRequest.application(id: 7, name: "mine")
            #expect(own.isInProgress)
            own.finish(.completed(["x": 1]))
            own.finish(.timedOut)
            let reply = try await own.reply()
            #expect(reply == ["x": 1])
        }
    }

    /// The app does not answer, so only the cancellation can end it.
    @Test func aRequestIsCancelled() async throws {
        final class Silence: MediaTransport {
            let eventLoop: any EventLoop
            init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }
            func send(_ payload: CastMessage.Payload, in namespace: Namespace) {}
            func flush() {}
        }
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let (client, silence) = try await loop.submit {
            let driver = MediaClientDriver(eventLoop: loop, counter: RequestCounter())
            let silence = Silence(loop)
            driver.attach(to: silence, app: MediaBench.app())
            return (driver.client, NIOLoopBound(silence, eventLoop: loop))
        }.get()
        let request = await client.start(.load(Self.media("one")))
        request.cancel()
        #expect(await request.outcome() == .aborted(.cancelled))
        let other = await client.start(.load(Self.media("one")))
        let waiting = Task { await other.outcome() }
        waiting.cancel()
        #expect(await waiting.value == .aborted(.cancelled))
        try await loop.submit { _ = silence.value }.get()
    }
}
