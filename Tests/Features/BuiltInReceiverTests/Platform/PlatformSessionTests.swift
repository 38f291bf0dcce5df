import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayCore
import NIOCore
import Testing

@testable import BuiltInReceiver

@Suite struct PlatformSessionTests {
    private static let load: JSONObject = [
        "type": "LOAD", "requestId": 3, "autoplay": true,
        "media": [
            "contentId": "http://192.0.2.77/one.mp4", "contentType": "video/mp4", "streamType": "BUFFERED",
            "duration": 60, "metadata": ["metadataType": 0, "title": "One"],
        ],
    ]

    @Test(arguments: [nil, .null, "session-1"] as [JSONValue?])
    func stops(sessionID: JSONValue?) {
        var bench = PlatformBench()
        _ = bench.launch()
        var json: JSONObject = ["type": "STOP", "requestId": 9]
        json["sessionId"] = sessionID
        let actions = bench.send(json)
        #expect(
            actions.summaries == [
                "CLOSE session-1", "ended session-1 stopped", "receiver-0->all RECEIVER_STATUS 0",
                "sender-0@c1 RECEIVER_STATUS 9",
            ])
        #expect(actions.last?.status?.applications.isEmpty == true)
        #expect(bench.platform.currentSession == nil)
    }

    @Test(arguments: ["other", 5, "", ["session-1"]] as [JSONValue])
    func doesNotStopAnotherSession(sessionID: JSONValue) {
        var bench = PlatformBench()
        _ = bench.launch()
        let actions = bench.send(["type": "STOP", "requestId": 9, "sessionId": sessionID])
        #expect(actions.summaries == ["sender-0@c1 INVALID_REQUEST 9"])
        #expect(actions.first?.json.string("reason") == "INVALID_SESSION_ID")
        #expect(bench.platform.currentSession != nil)
    }

    @Test func stoppingNothingIsNoFault() {
        var bench = PlatformBench()
        #expect(bench.send(["type": "STOP", "requestId": 9]).summaries == ["sender-0@c1 RECEIVER_STATUS 9"])
        let actions = bench.send(["type": "STOP", "requestId": 9, "sessionId": "session-1"])
        #expect(actions.first?.json.string("reason") == "INVALID_SESSION_ID")
    }

    @Test func connectsToThePlatformAndToTheAppAlone() {
        var bench = PlatformBench()
        #expect(bench.connect("sender-0").accepted)
        #expect(!bench.connect("sender-0", to: "session-1").accepted)
        _ = bench.launch()
        #expect(bench.connect("sender-0", to: "session-1").accepted)
        #expect(!bench.connect("sender-0", to: "session-2").accepted)
        #expect(!bench.connect("sender-1", type: 3).accepted)
        #expect(!bench.connect("sender-1", to: "*").accepted)
    }

    @Test func aRefusedConnectEndsWhatWasOpen() {
        var bench = PlatformBench()
        _ = bench.launch()
        _ = bench.connect("a", to: "session-1")
        let refused = bench.connect("a", to: "session-1", type: 9)
        #expect(!refused.accepted)
        #expect(refused.actions.first?.status?.applications.first?.senderConnected == false)
        #expect(bench.platform.nextDeadline != nil)
    }

    @Test func boundsWhatOneChannelHolds() {
        var bench = PlatformBench()
        for number in 0..<VirtualConnections.maximumCount {
            #expect(bench.connect(EndpointID(rawValue: "s\(number)")).accepted)
        }
        #expect(!bench.connect("one-too-many").accepted)
        #expect(bench.connect("s1").accepted)
        #expect(bench.connect("sender-0", on: PlatformBench.second).accepted)
    }

    @Test func saysWhetherASenderIsThere() {
        var bench = PlatformBench()
        _ = bench.launch()
        #expect(bench.connect("watcher", to: "session-1", type: 2).actions.isEmpty)
        let first = bench.connect("a", to: "session-1").actions
        #expect(first.summaries == ["receiver-0->all RECEIVER_STATUS 0"])
        #expect(first.first?.status?.applications.first?.senderConnected == true)
        #expect(bench.connect("a", to: "session-1").actions.isEmpty)
        #expect(bench.connect("a", to: "session-1", on: PlatformBench.second, type: 1).actions.isEmpty)
        #expect(bench.close("a", from: "session-1").isEmpty)
        let last = bench.platform.connectionLost(PlatformBench.second, at: bench.now)
        #expect(last.first?.status?.applications.first?.senderConnected == false)
        #expect(bench.platform.currentSession != nil)
    }

    @Test func closesTheAppSomeTimeAfterTheLastSender() {
        var bench = PlatformBench(idleTimeout: .seconds(60))
        _ = bench.launch()
        #expect(bench.advance(by: .seconds(59)).isEmpty)
        _ = bench.connect("a", to: "session-1")
        #expect(bench.platform.nextDeadline == nil)
        #expect(bench.advance(by: .seconds(600)).isEmpty)
        _ = bench.close("a", from: "session-1")
        #expect(bench.advance(by: .seconds(59)).isEmpty)
        let actions = bench.advance(by: .seconds(1))
        #expect(
            actions.summaries == ["CLOSE session-1", "ended session-1 idle", "receiver-0->all RECEIVER_STATUS 0"])
        #expect(bench.platform.nextDeadline == nil)
    }

    @Test func weakAndInvisibleSendersDoNotKeepItAlive() {
        var bench = PlatformBench(idleTimeout: .seconds(60))
        _ = bench.launch()
        _ = bench.connect("weak", to: "session-1", type: 1)
        _ = bench.connect("watcher", to: "session-1", type: 2)
        _ = bench.connect("strong", to: "session-1", on: PlatformBench.second)
        #expect(bench.advance(by: .seconds(100)).isEmpty)
        _ = bench.platform.connectionLost(PlatformBench.second, at: bench.now)
        #expect(bench.advance(by: .seconds(60)).summaries.first == "CLOSE session-1")
    }

    @Test func neverClosesWhenToldSo() {
        var bench = PlatformBench(idleTimeout: .zero)
        _ = bench.launch()
        #expect(bench.platform.nextDeadline == nil)
        #expect(bench.advance(by: .seconds(1_000_000)).isEmpty)
    }

    @Test func mediaGoToThePlayerAndBack() {
        var bench = PlatformBench(idleTimeout: .seconds(60))
        _ = bench.launch()
        #expect(bench.connect("page", to: "session-1").actions.count == 1)
        let status = bench.send(["type": "GET_STATUS", "requestId": 2], in: .media, from: "page", to: "session-1")
        #expect(status.summaries == ["page@c1 MEDIA_STATUS 2"])
        if case .send(let message, _)? = status.first { #expect(message.source == "session-1") }

        _ = bench.send(Self.load, in: .media, from: "page", to: "session-1")
        var later: [ReceiverPlatform.Action] = []
        for _ in 0..<8 { later += bench.advance(by: .milliseconds(100)) }
        #expect(later.summaries.contains("page@c1 MEDIA_STATUS 3"))
        #expect(later.summaries.contains("session-1->all MEDIA_STATUS 0"))
        #expect(later.last { $0.status != nil }?.status?.applications.first?.statusText == "Casting: One")

        // Another channel's sender of the same name learns of it, an invisible one asks for itself.
        let joined = bench.connect("page", to: "session-1", on: PlatformBench.second)
        #expect(joined.actions.summaries == ["page@c2 MEDIA_STATUS 0"])
        #expect(bench.connect("watcher", to: "session-1", on: PlatformBench.second, type: 2).actions.isEmpty)
        #expect(
            bench.send(
                ["type": "GET_STATUS", "requestId": 8], in: .media, from: "watcher", to: "session-1",
                on: PlatformBench.second
            ).summaries == ["watcher@c2 MEDIA_STATUS 8"])

        // Media that play keep the app, although no sender is connected.
        _ = bench.platform.connectionLost(PlatformBench.first, at: bench.now)
        _ = bench.platform.connectionLost(PlatformBench.second, at: bench.now)
        #expect(bench.platform.idleDeadline == nil)
    }

    @Test func lateAnswersReachConnectedSendersOnly() {
        var bench = PlatformBench()
        _ = bench.launch()
        _ = bench.connect("page", to: "session-1")
        _ = bench.connect("page", to: "session-1", on: PlatformBench.second)
        _ = bench.send(Self.load, in: .media, from: "page", to: "session-1")
        _ = bench.platform.connectionLost(PlatformBench.first, at: bench.now)
        var later: [ReceiverPlatform.Action] = []
        for _ in 0..<8 { later += bench.advance(by: .milliseconds(100)) }
        #expect(!later.isEmpty)
        for action in later {
            if case .send = action { Issue.record("\(action.summary) goes to a sender that is not connected") }
        }
    }

    /// Whatever owns a namespace was asked before the app, so what comes here is answered with an error, not with silence.
    @Test func requestsThatNothingOwnsAreRefused() {
        let apps = [VirtualAppConfiguration(id: "ABCD1234") { $0.namespaces = ["urn:x-cast:com.example.quiz"] }]
        var bench = PlatformBench(apps: apps)
        _ = bench.launch("ABCD1234")
        let request: JSONObject = ["type": "ASK", "requestId": 4]
        for namespace in [Namespace.media, .receiver, "urn:x-cast:com.example.quiz", "urn:x-cast:com.example.other"] {
            let actions = bench.send(request, in: namespace, to: "session-1")
            #expect(actions.summaries == ["sender-0@c1 INVALID_REQUEST 4"])
            #expect(actions.first?.json.string("reason") == "INVALID_COMMAND")
            #expect(bench.send(["type": "ASK"], in: namespace, to: "session-1").isEmpty)
            #expect(bench.send(["type": "ASK", "requestId": 0], in: namespace, to: "session-1").isEmpty)
        }
        for type in ["LOAD", "QUEUE_LOAD", "LOAD_BY_ENTITY"] {
            let load = bench.send(["type": .string(type), "requestId": 5], in: .media, to: "session-1")
            #expect(load.summaries == ["sender-0@c1 LOAD_FAILED 5"])
            #expect(load.first?.json.int("detailedErrorCode") == 905)
        }
        #expect(bench.send(request, in: .media).summaries == ["sender-0@c1 INVALID_REQUEST 4"])
    }

    @Test func closesWhatIsNotThere() {
        var bench = PlatformBench()
        _ = bench.launch()
        _ = bench.send(["type": "STOP"])
        let actions = bench.send(["type": "GET_STATUS", "requestId": 4], in: .media, from: "page", to: "session-1")
        #expect(actions.summaries == ["page@c1 CLOSE -"])
        if case .send(let message, _)? = actions.first {
            #expect(message.source == "session-1")
            #expect(message.namespace == .connection)
        }
    }

    @Test func showsTheIdleScreen() {
        var bench = PlatformBench(backdrop: true)
        let idle = bench.send(["type": "GET_STATUS", "requestId": 1]).first?.status?.applications.first
        #expect(idle?.appID == .backdrop)
        #expect(idle?.isIdleScreen == true)
        #expect(bench.platform.currentSession == nil)
        #expect(bench.platform.nextDeadline == nil)
        #expect(bench.connect("a", to: "session-1").accepted)

        let launched = bench.launch(id: 2)
        #expect(
            launched.summaries == [
                "CLOSE session-1", "started CC1AD845 session-2", "receiver-0->all RECEIVER_STATUS 0",
                "sender-0@c1 RECEIVER_STATUS 2",
            ])
        #expect(launched.last?.status?.applications.count == 1)
        let stopped = bench.send(["type": "STOP", "requestId": 3])
        #expect(stopped.last?.status?.applications.map(\.sessionID) == ["session-3"])
        #expect(stopped.last?.status?.applications.first?.isIdleScreen == true)
    }

    @Test func theIdleScreenComesBackWhenALaunchIsOvertaken() {
        let slow = VirtualAppConfiguration(id: "51000000") {
            $0.options = SimulationOptions { $0.launchDelay = .seconds(3) }
        }
        var bench = PlatformBench(apps: [slow], backdrop: true)
        #expect(bench.launch("51000000", id: 1).summaries == ["CLOSE session-1"])
        #expect(bench.send(["type": "GET_STATUS", "requestId": 2]).first?.status?.applications.isEmpty == true)
        let actions = bench.send(["type": "STOP", "requestId": 3])
        #expect(
            actions.summaries == [
                "sender-0@c1 LAUNCH_ERROR 1", "receiver-0->all RECEIVER_STATUS 0", "sender-0@c1 RECEIVER_STATUS 3",
            ])
        #expect(actions.last?.status?.applications.first?.isIdleScreen == true)
    }
}
