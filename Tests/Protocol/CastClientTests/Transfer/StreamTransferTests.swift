import CastWire
import NIOCore
import Testing

@testable import CastClient

/// Playback moves between two of Castway's own players.
@Suite(.timeLimit(.minutes(1))) struct StreamTransferTests {
    private static func media(_ id: String, seconds: Double = 600) -> MediaInformation {
        var media = MediaInformation()
        media.contentURL = "http://192.0.2.9/\(id).mp4"
        media.contentType = "video/mp4"
        media.duration = seconds
        return media
    }

    private static func origin(_ client: MediaClient) -> TransferOrigin {
        .device(client: client) { await client.start(.stop()).outcome().isCompleted }
    }

    @Test func playbackGoesOnElsewhere() async throws {
        try await PlayerTransport.with { hall, _ in
            try await PlayerTransport.with { office, _ in
                try await hall.perform(.load(Self.media("one"), autoplay: false, at: 30))
                let transfer = StreamTransfer(from: Self.origin(hall), to: .device { office })
                let result = try await transfer.run()
                #expect(result == TransferResult(way: .resumed, isStateOfApp: true, isOriginStopped: true))
                #expect(office.snapshot.playerState == .paused)
                #expect(office.position == 30)
                #expect(!hall.snapshot.hasMediaSession)
            }
        }
    }

    @Test func aDeviceThatCannotPlayItChangesNothing() async throws {
        try await PlayerTransport.with { hall, _ in
            try await PlayerTransport.with(failingOn: "*one*") { office, _ in
                try await hall.perform(.load(Self.media("one")))
                let transfer = StreamTransfer(from: Self.origin(hall), to: .device { office })
                do throws(TransferFailure) {
                    _ = try await transfer.run()
                    Issue.record("it was moved")
                } catch {
                    #expect(error.reason == .playback)
                    #expect(error.wasRolledBack == nil)
                }
                #expect(hall.snapshot.playerState == .playing)
            }
        }
    }

    /// An app that does not know of stored states is asked to load while there is still time for it.
    @Test func anAppThatKeepsSilentIsAskedToLoad() async throws {
        try await PlayerTransport.with { hall, _ in
            try await PlayerTransport.with(ignoring: .resumeSession) { office, _ in
                try await hall.perform(.load(Self.media("one"), autoplay: false, at: 30))
                let transfer = StreamTransfer(
                    from: Self.origin(hall), to: .device { office }, timeout: .seconds(4))
                let result = try await transfer.run()
                #expect(result == TransferResult(way: .loaded, isStateOfApp: true, isOriginStopped: true))
                #expect(office.position == 30)
            }
        }
    }

    @Test func aDeviceThatIsTooLateStops() async throws {
        try await PlayerTransport.with { hall, _ in
            try await PlayerTransport.with(buffering: .seconds(600)) { office, _ in
                try await hall.perform(.load(Self.media("one")))
                let transfer = StreamTransfer(
                    from: Self.origin(hall), to: .device { office }, timeout: .milliseconds(500))
                do throws(TransferFailure) {
                    _ = try await transfer.run()
                    Issue.record("it was moved")
                } catch {
                    #expect(error.reason == .timeout)
                }
                #expect(!office.snapshot.hasMediaSession)
                #expect(hall.snapshot.playerState == .playing)
            }
        }
    }

    @Test func playbackGoesToAPlayerOutsideAndBack() async throws {
        try await PlayerTransport.with { hall, _ in
            try await hall.perform(.load(Self.media("one"), autoplay: false, at: 30))
            let (states, taken) = AsyncStream.makeStream(of: SessionState.self)
            let away = StreamTransfer(from: Self.origin(hall), to: .local { taken.yield($0) })
            let result = try await away.run()
            #expect(result.way == .handedOver && result.isOriginStopped)
            let state = try #require(await states.first { _ in true })
            #expect(state.loadRequestData?.currentTime == 30)
            #expect(!hall.snapshot.hasMediaSession)
            let back = try await StreamTransfer(from: .local(state), to: .device { hall }).run()
            #expect(back.way == .resumed)
            #expect(hall.position == 30)
        }
    }

    @Test func anEndIsSeenForWhatItIs() async throws {
        try await PlayerTransport.with { hall, _ in
            let bell = Self.media("bell", seconds: 0.05)
            try await hall.perform(.load(bell))
            #expect(await hall.end(of: bell, within: .seconds(30)) == .played)
            let long = Self.media("long")
            try await hall.perform(.load(long))
            #expect(await hall.end(of: long, within: .milliseconds(1)) == .cutOff)
            try await hall.perform(.load(Self.media("other")))
            #expect(await hall.end(of: long, within: .seconds(30)) == .takenOver)
        }
    }
}
