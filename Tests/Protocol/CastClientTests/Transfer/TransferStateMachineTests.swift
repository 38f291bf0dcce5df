import CastWire
import NIOCore
import Testing

@testable import CastClient

/// The steps of a transfer (protocol notes, 8.5), one event at a time.
@Suite struct TransferStateMachineTests {
    private static let now = NIODeadline.uptimeNanoseconds(1_000_000_000)
    private static let late = now + .seconds(61)
    private static let state = SessionState(json: [
        "loadRequestData": ["media": ["contentId": "one"], "currentTime": 30]
    ])
    private static let load = LoadRequest(json: ["media": ["contentId": "one"], "currentTime": 30])
    private static let done = RequestOutcome.completed(["type": "MEDIA_STATUS"])
    private static let refused = RequestOutcome.failed(RequestError(.invalidRequest, "refused"))

    private static func machine(hasOrigin: Bool = true, hasTarget: Bool = true) -> TransferStateMachine {
        TransferStateMachine(hasOrigin: hasOrigin, hasTarget: hasTarget, deadline: now + .seconds(60))
    }

    /// A transfer whose other device has been handed the state.
    private static func resuming() -> TransferStateMachine {
        var machine = Self.machine()
        _ = machine.begin(Self.state, canStore: false)
        _ = machine.targetStarted(nil, at: Self.now)
        return machine
    }

    private static func failure(_ action: TransferStateMachine.Action) -> TransferFailure? {
        if case .finish(.failure(let failure)) = action { failure } else { nil }
    }

    @Test func theAppsOwnStateIsResumed() {
        var machine = Self.machine()
        let store = machine.begin(nil, canStore: true)
        #expect(store == .store)
        let stored = RequestOutcome.completed(["type": "SESSION_STATE", "sessionState": .object(Self.state.json)])
        let start = machine.stored(stored, else: nil)
        #expect(start == .startTarget)
        let resume = machine.targetStarted(nil, at: Self.now)
        #expect(resume == .resume(Self.state))
        let wait = machine.answered(Self.done, at: Self.now)
        #expect(wait == .awaitPlayback)
        let stop = machine.playbackSeen(true, at: Self.now)
        #expect(stop == .stopOrigin)
        let end = machine.originStopped(true)
        #expect(
            end == .finish(.success(TransferResult(way: .resumed, isStateOfApp: true, isOriginStopped: true))))
    }

    @Test(arguments: [RequestOutcome.timedOut, Self.refused, .completed(["type": "SESSION_STATE"])])
    func aStateThatIsNotToldIsMade(_ outcome: RequestOutcome) {
        var machine = Self.machine()
        _ = machine.begin(Self.state, canStore: true)
        let start = machine.stored(outcome, else: Self.state)
        #expect(start == .startTarget)
        let resume = machine.targetStarted(nil, at: Self.now)
        #expect(resume == .resume(Self.state))
    }

    @Test func withoutAnythingToTakeAlongNothingHappens() {
        var machine = Self.machine()
        let end = machine.begin(nil, canStore: false)
        #expect(Self.failure(end)?.reason == .storeState)
        #expect(TransferFailure.Reason.storeState.rawValue == 100)
        #expect(TransferFailure.Reason.timeout.rawValue == 101)
    }

    @Test func anAppThatCannotResumeLoads() {
        var machine = Self.resuming()
        let load = machine.answered(Self.refused, at: Self.now)
        #expect(load == .load(Self.load))
        let wait = machine.answered(Self.done, at: Self.now)
        #expect(wait == .awaitPlayback)
        _ = machine.playbackSeen(true, at: Self.now)
        let end = machine.originStopped(false)
        #expect(
            end == .finish(.success(TransferResult(way: .loaded, isStateOfApp: false, isOriginStopped: false))))
    }

    @Test func aTargetThatDoesNotStartLeavesEverything() {
        var machine = Self.machine()
        _ = machine.begin(Self.state, canStore: false)
        let end = machine.targetStarted("out of reach", at: Self.now)
        #expect(Self.failure(end) == TransferFailure(reason: .target, message: "out of reach", wasRolledBack: nil))
        var slow = Self.machine()
        _ = slow.begin(Self.state, canStore: false)
        let late = slow.targetStarted(nil, at: Self.late)
        #expect(Self.failure(late)?.reason == .timeout)
    }

    @Test func anOriginThatNeverStoppedNeedsNoRollBack() {
        var machine = Self.resuming()
        _ = machine.answered(Self.refused, at: Self.now)
        let end = machine.answered(Self.refused, at: Self.now)
        #expect(Self.failure(end) == TransferFailure(reason: .playback, message: "refused", wasRolledBack: nil))
    }

    @Test(arguments: [true, false])
    func anOriginThatStoppedPlaysAgain(_ isRestored: Bool) {
        var machine = Self.resuming()
        _ = machine.answered(Self.done, at: Self.now)
        machine.originEnded()
        let restore = machine.playbackSeen(false, at: Self.now)
        #expect(restore == .restoreOrigin(Self.load))
        let end = machine.originRestored(isRestored)
        #expect(Self.failure(end)?.wasRolledBack == isRestored)
        #expect(Self.failure(end)?.reason == .playback)
    }

    @Test func tooLongIsTooLong() {
        var machine = Self.resuming()
        let end = machine.answered(.timedOut, at: Self.late)
        #expect(Self.failure(end)?.reason == .timeout)
        var silent = Self.resuming()
        _ = silent.answered(Self.done, at: Self.now)
        let late = silent.playbackSeen(false, at: Self.late)
        #expect(Self.failure(late)?.reason == .timeout)
    }

    @Test func playbackIsHandedToAPlayerOutside() {
        var machine = Self.machine(hasTarget: false)
        let hand = machine.begin(Self.state, canStore: false)
        #expect(hand == .handOver(Self.state))
        let stop = machine.handedOver(nil)
        #expect(stop == .stopOrigin)
        let end = machine.originStopped(true)
        #expect(
            end == .finish(.success(TransferResult(way: .handedOver, isStateOfApp: false, isOriginStopped: true))))
        var refused = Self.machine(hasTarget: false)
        _ = refused.begin(Self.state, canStore: false)
        let failed = refused.handedOver("no")
        #expect(Self.failure(failed)?.message == "no")
    }

    @Test func playbackIsTakenFromAPlayerOutside() {
        var machine = Self.machine(hasOrigin: false)
        let start = machine.begin(Self.state, canStore: true)
        #expect(start == .startTarget)
        _ = machine.targetStarted(nil, at: Self.now)
        _ = machine.answered(Self.done, at: Self.now)
        let end = machine.playbackSeen(true, at: Self.now)
        #expect(
            end == .finish(.success(TransferResult(way: .resumed, isStateOfApp: false, isOriginStopped: true))))
    }

    @Test func aStateIsMadeOfTheStatus() throws {
        var bench = MediaBench.playing([
            "activeTrackIds": [2], "playbackRate": 1.5, "repeatMode": "REPEAT_ALL", "currentItemId": 2,
            "items": [
                ["itemId": 1, "media": ["contentId": "zero"]], ["itemId": 2, "media": ["contentId": "one"]],
            ],
        ])
        bench.pass(10)
        let load = try #require(SessionState(bench.snapshot, at: bench.now)?.loadRequestData)
        #expect(load.media?.contentID == "one")
        #expect(load.currentTime == 25)
        #expect(load.autoplay == true && load.playbackRate == 1.5 && load.activeTrackIDs == [2])
        #expect(load.queueData?.startIndex == 1)
        #expect(load.queueData?.repeatMode == .all)
        #expect(load.queueData?.items?.allSatisfy { $0.itemID == nil } == true)
        bench.push(["mediaSessionId": 1, "playerState": "PAUSED"])
        #expect(SessionState(bench.snapshot, at: bench.now)?.loadRequestData?.autoplay == false)
        bench.push(nil)
        #expect(SessionState(bench.snapshot, at: bench.now) == nil)
    }

    @Test func theLiveEdgeIsNoPosition() {
        let bench = MediaBench.playing([
            "media": ["contentId": "live", "streamType": "LIVE"], "currentTime": 95,
            "liveSeekableRange": ["start": 0, "end": 100],
        ])
        #expect(SessionState(bench.snapshot, at: bench.now)?.loadRequestData?.json["currentTime"] == nil)
    }
}
