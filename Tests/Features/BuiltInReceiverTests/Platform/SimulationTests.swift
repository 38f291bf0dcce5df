import CastWire
import GatewayCore
import NIOCore
import Testing

@testable import BuiltInReceiver

/// What happens at the receiver itself, and what senders hear of it.
@Suite struct SimulationTests {
    /// A receiver with an app that plays a film of ten minutes.
    private static func playing(items: Int = 1, hasScreen: Bool = true) -> PlatformBench {
        var bench = PlatformBench(hasScreen: hasScreen)
        _ = bench.connect("sender-0")
        _ = bench.launch()
        _ = bench.connect("sender-0", to: bench.transport)
        let media: JSONValue = [
            "media": ["contentId": "http://192.0.2.1/a.mp4", "contentType": "video/mp4", "duration": 600]
        ]
        _ = bench.send(
            ["type": "QUEUE_LOAD", "requestId": 2, "items": .array(Array(repeating: media, count: items))],
            in: .media, to: bench.transport)
        for _ in 0..<5 { _ = bench.advance(by: .seconds(1)) }
        return bench
    }

    @Test(arguments: [
        (RemoteKey.pause, "PAUSED"), (.playPause, "PAUSED"), (.play, "PLAYING"), (.next, "IDLE"),
    ]) func keysActLikeSenders(key: RemoteKey, state: String) {
        var bench = Self.playing(items: 2)
        let (outcome, actions) = bench.happen(.key(key))
        #expect(outcome == .done)
        // No sender asked, so the status answers no request.
        #expect(!actions.isEmpty && actions.allSatisfy { $0.summary.hasSuffix(" 0") }, "\(actions.summaries)")
        #expect(bench.media?.string("playerState") == state)
    }

    @Test func keysMoveThePosition() {
        var bench = Self.playing()
        _ = bench.advance(by: .seconds(60))
        let before = bench.media?.double("currentTime") ?? 0
        _ = bench.happen(.key(.rewind))
        #expect(abs((bench.media?.double("currentTime") ?? 0) - (before - 10)) < 0.1)
        _ = bench.happen(.key(.fastForward))
        #expect(abs((bench.media?.double("currentTime") ?? 0) - before) < 0.1)
    }

    @Test func keysChangeTheVolume() {
        var bench = PlatformBench()
        let step = bench.platform.volume.payload.stepInterval ?? 0
        #expect(step > 0)
        let (_, louder) = bench.happen(.key(.volumeUp))
        #expect(louder.summaries == ["receiver-0->all RECEIVER_STATUS 0"])
        #expect(abs((louder.first?.status?.volume?.level ?? 0) - 0.5 - step) < 0.001)
        let (_, muted) = bench.happen(.key(.mute))
        #expect(muted.first?.status?.volume?.muted == true)
        let (_, heard) = bench.happen(.key(.mute))
        #expect(heard.first?.status?.volume?.muted == false)
    }

    @Test func homeLeavesTheApp() {
        var bench = Self.playing()
        let session = bench.platform.currentSession?.sessionID ?? ""
        let (outcome, actions) = bench.happen(.key(.home))
        #expect(outcome == .done && bench.platform.currentSession == nil)
        #expect(actions.summaries.contains("ended \(session) stopped"))
        let outcome1 = bench.happen(.key(.home)).outcome
        #expect(outcome1 == .noApp)
    }

    @Test func aResolutionAndFeedbackAreToldToObservers() {
        var bench = PlatformBench()
        let size = SimulatedEvent.maximumResolution(width: 1280, height: 720)
        let (outcome, actions) = bench.happen(size)
        #expect(outcome == .done && actions == [.tell(.maximumResolution(width: 1280, height: 720))])
        let again = bench.happen(size)
        #expect(again.outcome == .done && again.actions.isEmpty)
        let feedback = bench.happen(.feedback)
        #expect(feedback.outcome == .done && feedback.actions == [.tell(.feedback)])
        var speaker = PlatformBench(hasScreen: false)
        let none = speaker.happen(size).outcome
        #expect(none == .noScreen)
    }

    @Test func theScreenGoesToStandbyAndALaunchSwitchesItOn() {
        var bench = PlatformBench()
        _ = bench.connect("sender-0")
        let (_, asleep) = bench.happen(.standby(true))
        #expect(asleep.first?.status?.isStandBy == true && asleep.first?.status?.isActiveInput == false)
        let (_, again) = bench.happen(.standby(true))
        #expect(again.isEmpty)
        let awake = bench.launch()
        #expect(awake.last?.status?.isStandBy == false && awake.last?.status?.isActiveInput == true)
        let (_, away) = bench.happen(.activeInput(false))
        #expect(away.first?.status?.isActiveInput == false && away.first?.status?.isStandBy == false)
    }

    @Test(arguments: [(SimulatedEvent.standby(true), "standby"), (.fatalError, "failed")])
    func standbyAndAFatalErrorEndTheApp(event: SimulatedEvent, reason: String) {
        var bench = Self.playing()
        let session = bench.platform.currentSession?.sessionID ?? ""
        let (outcome, actions) = bench.happen(event)
        #expect(outcome == .done && bench.platform.currentSession == nil)
        #expect(actions.summaries.contains("ended \(session) \(reason)"))
        #expect(actions.last?.status?.applications.isEmpty == true)
        // Nothing is left that could end.
        let again = bench.happen(.fatalError).outcome
        #expect(again == .noApp)
    }

    @Test func standbyCancelsALaunch() {
        var bench = PlatformBench(apps: [
            VirtualAppConfiguration(id: "CC1AD845") { $0.options.launchDelay = .seconds(5) }
        ])
        _ = bench.connect("sender-0")
        _ = bench.launch()
        let (_, actions) = bench.happen(.standby(true))
        #expect(actions.contains { $0.json.string("type") == "LAUNCH_ERROR" })
        let later = bench.advance(by: .seconds(10))
        #expect(later.isEmpty && bench.platform.currentSession == nil)
    }

    @Test func aSpeakerHasNoScreen() {
        var bench = Self.playing(hasScreen: false)
        let outcome2 = bench.happen(.standby(true)).outcome
        #expect(outcome2 == .noScreen)
        let outcome3 = bench.happen(.key(.pause)).outcome
        #expect(outcome3 == .done)
    }

    @Test func theAppChangesWhatItSays() {
        var bench = Self.playing()
        let (_, told) = bench.happen(.statusText("Now in the bar"))
        #expect(told.first?.status?.applications.first?.statusText == "Now in the bar")
        let (_, own) = bench.happen(.statusText(""))
        #expect(own.first?.status?.applications.first?.statusText != "Now in the bar")
    }

    @Test func whatPlaysEndsBuffersAndFails() {
        var bench = Self.playing(items: 2)
        let (stalled, _) = bench.happen(.buffering(.seconds(5)))
        #expect(stalled == .done && bench.media?.string("playerState") == "BUFFERING")
        _ = bench.advance(by: .seconds(5))
        #expect(bench.media?.string("playerState") == "PLAYING")
        let item = bench.media?.int("currentItemId")
        let outcome4 = bench.happen(.endOfItem).outcome
        #expect(outcome4 == .done)
        #expect(bench.media?.int("currentItemId") != item)
        let (failed, actions) = bench.happen(
            .failure(reason: "APP_ERROR", detailedErrorCode: 321))
        #expect(failed == .done)
        let told = actions.map(\.json).first { $0.string("type") == "ERROR" }
        #expect(told?.int("detailedErrorCode") == 321 && told?.string("reason") == "APP_ERROR")
        #expect(actions.contains { $0.json.array("status")?.first?.objectValue?.string("idleReason") == "ERROR" })
        for event in [SimulatedEvent.endOfItem, .key(.pause), .buffering(.seconds(1))] {
            let outcome5 = bench.happen(event).outcome
            #expect(outcome5 == .noMedia)
        }
    }

    @Test func nothingHappensWhereNothingRuns() {
        var bench = PlatformBench()
        for event in [
            SimulatedEvent.key(.play), .endOfItem, .failure(reason: nil, detailedErrorCode: 104), .statusText("a"),
        ] {
            let (outcome, actions) = bench.happen(event)
            #expect(outcome == .noApp && actions.isEmpty)
        }
    }
}

extension PlatformBench {
    /// Lets something happen now.
    fileprivate mutating func happen(
        _ event: SimulatedEvent
    ) -> (outcome: SimulationOutcome, actions: [ReceiverPlatform.Action]) {
        self.platform.simulate(event, at: self.now)
    }
}
