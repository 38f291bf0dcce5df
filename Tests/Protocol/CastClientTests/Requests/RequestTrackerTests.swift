import CastClient
import CastWire
import NIOCore
import Testing

@Suite struct RequestTrackerTests {
    private static let now = NIODeadline.uptimeNanoseconds(1_000_000_000)
    private static let app: EndpointID = "app-1"

    private static func tracker() -> RequestTracker<String> { RequestTracker(counter: RequestCounter()) }

    @discardableResult
    private static func begin(
        _ ticket: String, in tracker: inout RequestTracker<String>, kind: String? = nil, target: String = "",
        seconds: Int64 = 10
    ) -> [RequestTracker<String>.Ended] {
        tracker.begin(
            ticket, in: .media, at: Self.app, kind: kind.map { .init($0, target: target) },
            timeout: .seconds(seconds), now: Self.now
        ).replaced
    }

    @Test func numbersCountFromOneThroughAllNamespaces() {
        let counter = RequestCounter()
        var media = RequestTracker<Int>(counter: counter)
        var platform = RequestTracker<Int>(counter: counter)
        let first = media.begin(1, in: .media, at: Self.app, timeout: .seconds(1), now: Self.now).id
        let second = platform.begin(
            1, in: .receiver, at: .platformReceiver, timeout: .seconds(1), now: Self.now
        ).id
        #expect(first == 1 && second == 2)
    }

    @Test func anAnswerEndsItsRequestAlone() {
        var tracker = Self.tracker()
        Self.begin("one", in: &tracker)
        Self.begin("two", in: &tracker)
        let reply: JSONObject = ["type": "MEDIA_STATUS", "requestId": 2]
        let elsewhere = tracker.received(reply, in: .receiver, from: Self.app)
        #expect(elsewhere == nil)
        let stranger = tracker.received(reply, in: .media, from: "app-2")
        #expect(stranger == nil)
        let ended = tracker.received(reply, in: .media, from: Self.app)
        #expect(ended?.ticket == "two")
        #expect(ended?.outcome == .completed(reply))
        let late = tracker.received(reply, in: .media, from: Self.app)
        #expect(late == nil)
        #expect(tracker.tickets == ["one"])
    }

    @Test func aNumberAsTextIsTheSameNumber() {
        var tracker = Self.tracker()
        Self.begin("one", in: &tracker)
        let ended = tracker.received(["type": "X", "requestId": "1"], in: .media, from: Self.app)
        #expect(ended?.ticket == "one")
        let spontaneous = tracker.received(["type": "X", "requestId": 0], in: .media, from: Self.app)
        #expect(spontaneous == nil)
    }

    @Test(
        arguments: [
            ("LOAD_FAILED", nil, .mediaLoadFailed), ("INVALID_PLAYER_STATE", nil, .invalidMediaPlayerState),
            ("INVALID_REQUEST", "INVALID_PARAMS", .invalidRequest),
            ("INVALID_REQUEST", "INVALID_MEDIA_SESSION_ID", .noMediaSession),
            ("INVALID_REQUEST", "NOT_SUPPORTED", .unsupportedFeature), ("ERROR", nil, .mediaError),
            ("LAUNCH_ERROR", "NOT_FOUND", .applicationNotFound), ("LAUNCH_ERROR", "CANCELLED", .launchCancelled),
            ("LAUNCH_ERROR", "SYSTEM_ERROR", .unknown), ("LAUNCH_ERROR", nil, .unknown),
            ("LAUNCH_ERROR", "BAD_PARAMETER", .invalidRequest), ("LAUNCH_ERROR", "NOT_ALLOWED", .notAllowed),
            ("SOMETHING_FAILED", nil, .unknown),
        ] as [(String, String?, CastErrorCode)])
    func aRefusalHasTheSDKsCodeAndTheDevicesWords(type: String, reason: String?, code: CastErrorCode) {
        var tracker = Self.tracker()
        Self.begin("one", in: &tracker)
        var reply: JSONObject = [
            "type": .string(type), "requestId": 1, "detailedErrorCode": 104, "itemId": 3, "customData": ["a": 1],
        ]
        if let reason { reply["reason"] = .string(reason) }
        guard case .failed(let error) = tracker.received(reply, in: .media, from: Self.app)?.outcome else {
            Issue.record("not failed")
            return
        }
        #expect(error.code == code)
        #expect(error.reason == reason)
        #expect(error.detailedCode == .mediaSourceNotSupported)
        #expect(error.itemID == 3)
        #expect(error.customData == ["a": 1])
        #expect(
            error.message.contains(type == "LOAD_FAILED" ? "cannot play" : type)
                && error.message.contains("MEDIA_SRC_NOT_SUPPORTED (104)"))
    }

    @Test func aCancelledLoadWasReplaced() {
        var tracker = Self.tracker()
        Self.begin("load", in: &tracker)
        let ended = tracker.received(["type": "LOAD_CANCELLED", "requestId": 1], in: .media, from: Self.app)
        #expect(ended?.outcome == .aborted(.replaced))
    }

    @Test func theNewestOfAKindReplacesTheOthersOfItsTarget() {
        var tracker = Self.tracker()
        Self.begin("seek", in: &tracker, kind: "SEEK")
        Self.begin("hall", in: &tracker, kind: "SET_VOLUME", target: "hall")
        Self.begin("office", in: &tracker, kind: "SET_VOLUME", target: "office")
        let replaced = Self.begin("seek again", in: &tracker, kind: "SEEK")
        #expect(replaced.map(\.ticket) == ["seek"])
        #expect(replaced.map(\.outcome) == [.aborted(.replaced)])
        #expect(tracker.tickets == ["hall", "office", "seek again"])
        let none = Self.begin("play", in: &tracker)
        #expect(none.isEmpty)
    }

    @Test func deadlinesPassOneByOne() {
        var tracker = Self.tracker()
        #expect(tracker.nextDeadline == nil)
        Self.begin("slow", in: &tracker, seconds: 60)
        Self.begin("quick", in: &tracker, seconds: 10)
        #expect(tracker.nextDeadline == Self.now + .seconds(10))
        let early = tracker.expire(at: Self.now + .seconds(9))
        #expect(early.isEmpty)
        let ended = tracker.expire(at: Self.now + .seconds(10))
        #expect(ended.map(\.ticket) == ["quick"])
        #expect(ended.map(\.outcome) == [.timedOut])
        #expect(tracker.nextDeadline == Self.now + .seconds(60))
    }

    @Test func aDeviceThatAsksItsUserGetsMoreTime() {
        var tracker = Self.tracker()
        Self.begin("launch", in: &tracker)
        let isExtended = tracker.extend(1, to: Self.now + .seconds(90))
        #expect(isExtended)
        let isUnknown = tracker.extend(7, to: Self.now + .seconds(90))
        #expect(!isUnknown)
        #expect(tracker.nextDeadline == Self.now + .seconds(90))
    }

    /// A device that says again and again that it asks its user holds no request for ever.
    @Test func moreTimeIsGivenOnce() {
        var tracker = Self.tracker()
        Self.begin("launch", in: &tracker)
        for seconds in [90, 180] as [Int64] { tracker.extend(1, to: Self.now + .seconds(seconds)) }
        #expect(tracker.nextDeadline == Self.now + .seconds(90))
        #expect(tracker.ticket(of: 1) == "launch")
    }

    @Test func aNumberElsewhereIsNoAnswer() {
        var tracker = Self.tracker()
        Self.begin("load", in: &tracker)
        #expect(tracker.ticket(of: 1, in: .media, from: Self.app) == "load")
        #expect(tracker.ticket(of: 1, in: .receiver, from: Self.app) == nil)
        #expect(tracker.ticket(of: 1, in: .media, from: "app-2") == nil)
        #expect(tracker.ticket(of: 2, in: .media, from: Self.app) == nil)
    }

    @Test func anExchangeIsAnsweredByAnyMessageOfItsEndAndNamespace() {
        var tracker = Self.tracker()
        tracker.beginExchange("hello", in: .media, at: Self.app, timeout: .seconds(10), now: Self.now)
        let byNumber = tracker.received(["type": "MEDIA_STATUS", "requestId": 1], in: .media, from: Self.app)
        #expect(byNumber == nil)
        for (namespace, end) in [(Namespace.receiver, Self.app), (.media, .platformReceiver)] {
            let none = tracker.receivedExchange(in: namespace, from: end)
            #expect(none.isEmpty)
        }
        let answered = tracker.receivedExchange(in: .media, from: Self.app)
        #expect(answered == ["hello"])
        #expect(tracker.count == 0)
    }

    @Test func aCallerMayChooseTheNumber() {
        var tracker = Self.tracker()
        let (id, _) = tracker.begin(
            "mine", in: .media, at: Self.app, id: 4711, timeout: .seconds(10), now: Self.now)
        #expect(id == 4711)
        let ended = tracker.received(["type": "MEDIA_STATUS", "requestId": 4711], in: .media, from: Self.app)
        #expect(ended?.ticket == "mine")
    }

    @Test func cancelledRequestsAreForgotten() {
        var tracker = Self.tracker()
        Self.begin("one", in: &tracker)
        let ended = tracker.cancel { $0 == "one" }
        #expect(ended.map(\.outcome) == [.aborted(.cancelled)])
        let late = tracker.received(["type": "MEDIA_STATUS", "requestId": 1], in: .media, from: Self.app)
        #expect(late == nil)
    }

    @Test func theLossOfAnEndFailsWhatWaitsForIt() {
        var tracker = Self.tracker()
        Self.begin("app", in: &tracker)
        _ = tracker.begin(
            "platform", in: .receiver, at: .platformReceiver, timeout: .seconds(10), now: Self.now)
        let error = RequestError(.applicationNotRunning, "the app is gone")
        let ended = tracker.failAll(error, at: Self.app)
        #expect(ended.map(\.ticket) == ["app"])
        #expect(ended.map(\.outcome) == [.failed(error)])
        let rest = tracker.failAll(RequestError(.networkError, "the channel is gone"))
        #expect(rest.map(\.ticket) == ["platform"])
        #expect(tracker.count == 0)
    }

    @Test func anAnswerWithoutANumberMayDo() {
        var tracker = Self.tracker()
        Self.begin("play", in: &tracker)
        Self.begin("load", in: &tracker)
        let ended = tracker.complete(["type": "MEDIA_STATUS"]) { $0 == "load" }
        #expect(ended.map(\.ticket) == ["load"])
        #expect(tracker.tickets == ["play"])
    }

    @Test func thereIsALimit() {
        var tracker = Self.tracker()
        for _ in 0..<RequestTracker<String>.limit { Self.begin("x", in: &tracker) }
        #expect(!tracker.hasRoom)
    }
}
