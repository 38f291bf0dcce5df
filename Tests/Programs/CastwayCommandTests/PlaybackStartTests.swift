import CastWire
import Testing

@testable import CastClient
@testable import castway

@Suite struct PlaybackStartTests {
    @Test(arguments: [
        (#"{"playerState":"PLAYING"}"#, false, "done"), (#"{"playerState":"BUFFERING"}"#, false, "waiting"),
        (#"{"playerState":"LOADING"}"#, false, "waiting"), (#"{"playerState":"PAUSED"}"#, false, "waiting"),
        (#"{"playerState":"PAUSED"}"#, true, "done"), (#"{"playerState":"BUFFERING"}"#, true, "waiting"),
        (#"{"playerState":"PAUSED","media":{"contentId":"a","contentType":"image/png"}}"#, false, "done"),
        (#"{"playerState":"IDLE"}"#, false, "waiting"),
        (#"{"playerState":"IDLE","idleReason":"FINISHED"}"#, false, "done"),
        (#"{"playerState":"IDLE","idleReason":"ERROR"}"#, false, "failed"),
        (#"{"playerState":"IDLE","idleReason":"CANCELLED"}"#, false, "failed"),
        (#"{"playerState":"IDLE","idleReason":"INTERRUPTED"}"#, true, "failed"),
        (#"{"playerState":"IDLE","idleReason":"ERROR","extendedStatus":{"playerState":"LOADING"}}"#, false, "waiting"),
    ])
    func aStatusSaysHowFarItIs(text: String, isPaused: Bool, outcome: String) throws {
        var snapshot = MediaSnapshot()
        snapshot.status = MediaStatus(json: try #require(try JSONReader.read(text).objectValue))
        let progress = PlaybackStart(isPaused: isPaused, timeout: .seconds(1)).progress(snapshot)
        switch progress {
        case .waiting: #expect(outcome == "waiting")
        case .done: #expect(outcome == "done")
        case .failed: #expect(outcome == "failed")
        }
    }
}
