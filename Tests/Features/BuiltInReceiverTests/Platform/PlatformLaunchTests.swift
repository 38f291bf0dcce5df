import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayCore
import Testing

@testable import BuiltInReceiver

@Suite struct PlatformLaunchTests {
    private static let quiz = VirtualAppConfiguration(id: "ABCD1234") {
        $0.name = "Quiz"
        $0.namespaces = ["urn:x-cast:com.example.quiz"]
    }
    private static let media = VirtualAppConfiguration(id: "CC1AD845") { $0.player = .simulated }

    private static func slow(_ seconds: Int, launch: VirtualAppConfiguration.LaunchOutcome = .allow)
        -> VirtualAppConfiguration
    {
        VirtualAppConfiguration(id: "51000000") {
            $0.name = "Slow"
            $0.launch = launch
            $0.options = SimulationOptions { $0.launchDelay = .seconds(seconds) }
        }
    }

    @Test func startsAnAppAndTellsEveryoneBeforeItAnswers() {
        var bench = PlatformBench()
        let actions = bench.launch(id: 5)
        #expect(
            actions.summaries == [
                "started CC1AD845 session-1", "receiver-0->all RECEIVER_STATUS 0", "sender-0@c1 RECEIVER_STATUS 5",
            ])
        #expect(actions[1].status == actions[2].status)
        #expect(bench.platform.currentSession?.appID == .defaultMediaReceiver)
        #expect(bench.platform.session(at: "session-1")?.sessionID == "session-1")
        #expect(bench.platform.session(at: "session-2") == nil)
    }

    @Test func joinsAnAppThatRuns() {
        var bench = PlatformBench()
        _ = bench.launch(id: 5)
        let actions = bench.launch(id: 6, from: "sender-1", on: PlatformBench.second)
        #expect(actions.summaries == ["sender-1@c2 RECEIVER_STATUS 6"])
        #expect(actions.first?.status?.applications.first?.sessionID == "session-1")
    }

    @Test func stopsTheOldAppFirst() {
        var bench = PlatformBench(apps: [Self.media, Self.quiz])
        _ = bench.launch(id: 5)
        _ = bench.connect("sender-0", to: "session-1")
        let actions = bench.launch("ABCD1234", id: 6)
        #expect(
            actions.summaries == [
                "CLOSE session-1", "ended session-1 replaced", "receiver-0->all RECEIVER_STATUS 0",
                "started ABCD1234 session-2", "receiver-0->all RECEIVER_STATUS 0", "sender-0@c1 RECEIVER_STATUS 6",
            ])
        #expect(actions[2].status?.applications.isEmpty == true)
        #expect(actions[4].status?.applications.map(\.appID) == ["ABCD1234"])
        #expect(!bench.connect("sender-0", to: "session-1").accepted)
    }

    @Test(
        arguments: [
            (["appId": "NOSUCH01"], "NOT_FOUND"), (["appId": "0F5096E8"], "NOT_FOUND"), ([:], "BAD_PARAMETER"),
            (["appId": 7], "BAD_PARAMETER"), (["appId": ""], "BAD_PARAMETER"),
            (["appId": ["CC1AD845"]], "BAD_PARAMETER"),
            (["appId": "CC1AD845", "supportedAppTypes": ["ANDROID_TV"]], "NOT_FOUND"),
            (["appId": "CC1AD845", "appParams": .string(String(repeating: "p", count: 40_000))], "BAD_PARAMETER"),
        ] as [(JSONObject, String)])
    func refusesWhatItCannotStart(parameters: JSONObject, reason: String) {
        var bench = PlatformBench()
        var json = parameters
        json["type"] = "LAUNCH"
        #expect(bench.send(json).isEmpty)
        json["requestId"] = 5
        let actions = bench.send(json)
        #expect(actions.summaries == ["sender-0@c1 LAUNCH_ERROR 5"])
        #expect(actions.first?.json.string("reason") == reason)
        #expect(bench.platform.currentSession == nil)
    }

    @Test func startsWithoutAnIDToo() {
        var bench = PlatformBench()
        let actions = bench.send(["type": "LAUNCH", "appId": "CC1AD845"])
        #expect(actions.summaries == ["started CC1AD845 session-1", "receiver-0->all RECEIVER_STATUS 0"])
    }

    @Test func takesItsTimeWhenToldTo() {
        var bench = PlatformBench(apps: [Self.media, Self.slow(3)])
        _ = bench.launch(id: 1)
        let begin = bench.launch("51000000", id: 2)
        #expect(
            begin.summaries == ["CLOSE session-1", "ended session-1 replaced", "receiver-0->all RECEIVER_STATUS 0"])
        #expect(bench.advance(by: .seconds(2)).isEmpty)
        // A second LAUNCH of the same app waits for the same start.
        #expect(bench.launch("51000000", id: 2, from: "sender-1", on: PlatformBench.second).isEmpty)
        #expect(
            bench.advance(by: .seconds(1)).summaries == [
                "started 51000000 session-2", "receiver-0->all RECEIVER_STATUS 0", "sender-0@c1 RECEIVER_STATUS 2",
                "sender-1@c2 RECEIVER_STATUS 2",
            ])
    }

    @Test func anotherLaunchOvertakes() {
        var bench = PlatformBench(apps: [Self.media, Self.slow(3)])
        _ = bench.launch("51000000", id: 1)
        let actions = bench.launch(id: 2, from: "sender-1", on: PlatformBench.second)
        #expect(
            actions.summaries == [
                "sender-0@c1 LAUNCH_ERROR 1", "started CC1AD845 session-1", "receiver-0->all RECEIVER_STATUS 0",
                "sender-1@c2 RECEIVER_STATUS 2",
            ])
        #expect(actions.first?.json.string("reason") == "CANCELLED")
        #expect(bench.advance(by: .seconds(4)).isEmpty)
    }

    @Test func aStopOvertakesToo() {
        var bench = PlatformBench(apps: [Self.slow(3)])
        _ = bench.launch("51000000", id: 1)
        let actions = bench.send(["type": "STOP", "requestId": 2])
        #expect(actions.summaries == ["sender-0@c1 LAUNCH_ERROR 1", "sender-0@c1 RECEIVER_STATUS 2"])
        #expect(actions.first?.json.string("reason") == "CANCELLED")
        #expect(bench.advance(by: .seconds(4)).isEmpty)
    }

    @Test func startsForNobodyWhenTheSenderHasGone() {
        var bench = PlatformBench(apps: [Self.slow(3)])
        _ = bench.launch("51000000", id: 1)
        _ = bench.launch("51000000", id: 2, from: "sender-1", on: PlatformBench.second)
        _ = bench.platform.connectionLost(PlatformBench.first, at: bench.now)
        _ = bench.close("sender-1", on: PlatformBench.second)
        #expect(
            bench.advance(by: .seconds(3)).summaries == [
                "started 51000000 session-1", "receiver-0->all RECEIVER_STATUS 0",
            ])
    }

    @Test func asksTheUserWhoAgrees() {
        var bench = PlatformBench(apps: [Self.media, Self.slow(3)]) {
            $0.id == "51000000" ? .startAfterApproval : .start
        }
        _ = bench.launch(id: 1)
        let asked = bench.launch("51000000", id: 7)
        #expect(
            asked.map(\.json) == [
                ["type": "LAUNCH_STATUS", "launchRequestId": 7, "status": "USER_PENDING_AUTHORIZATION"]
            ])
        #expect(bench.platform.currentSession?.sessionID == "session-1")
        let agreed = bench.advance(by: .seconds(3))
        #expect(
            agreed.summaries == [
                "CLOSE session-1", "ended session-1 replaced", "receiver-0->all RECEIVER_STATUS 0",
                "started 51000000 session-2", "receiver-0->all RECEIVER_STATUS 0", "sender-0@c1 LAUNCH_STATUS 7",
                "sender-0@c1 RECEIVER_STATUS 7",
            ])
        #expect(agreed[5].json.string("status") == "USER_ALLOWED")
    }

    @Test func asksTheUserWhoRefuses() {
        var bench = PlatformBench(apps: [Self.media, Self.slow(3, launch: .notAllowed)])
        _ = bench.launch(id: 1)
        #expect(bench.launch("51000000", id: 7).first?.json.string("status") == "USER_PENDING_AUTHORIZATION")
        let refused = bench.advance(by: .seconds(3))
        #expect(
            refused.map(\.json) == [
                ["type": "LAUNCH_STATUS", "launchRequestId": 7, "status": "USER_NOT_ALLOWED"],
                [
                    "type": "LAUNCH_ERROR", "requestId": 7, "reason": "NOT_ALLOWED",
                    "extendedError": "USER_NOT_ALLOWED",
                ],
            ])
        #expect(bench.platform.currentSession?.sessionID == "session-1")
    }

    @Test func aLaunchOfTheRunningAppOvertakesTheQuestion() {
        var bench = PlatformBench(apps: [Self.media, Self.slow(3, launch: .notAllowed)])
        _ = bench.launch(id: 1)
        _ = bench.launch("51000000", id: 2)
        let actions = bench.launch(id: 3)
        #expect(actions.summaries == ["sender-0@c1 LAUNCH_ERROR 2", "sender-0@c1 RECEIVER_STATUS 3"])
        #expect(bench.advance(by: .seconds(3)).isEmpty)
    }

    @Test func failsAsConfigured() {
        for (outcome, reason) in [(.notFound, "NOT_FOUND"), (.cancelled, "CANCELLED")]
            as [(VirtualAppConfiguration.LaunchOutcome, String)]
        {
            var bench = PlatformBench(apps: [Self.media, Self.slow(0, launch: outcome)])
            _ = bench.launch(id: 1)
            let actions = bench.launch("51000000", id: 2)
            #expect(actions.summaries == ["sender-0@c1 LAUNCH_ERROR 2"])
            #expect(actions.first?.json.string("reason") == reason)
            #expect(bench.platform.currentSession?.sessionID == "session-1")
        }
        var silent = PlatformBench(apps: [Self.media, Self.slow(0, launch: .timeout)])
        #expect(silent.launch("51000000", id: 2).isEmpty)
        #expect(silent.platform.nextDeadline == nil)
    }

    @Test func boundsWhoWaits() {
        var bench = PlatformBench(apps: [Self.slow(3)])
        for id in 1...PendingLaunch.maximumWaiters {
            #expect(bench.launch("51000000", id: RequestID(id)).isEmpty)
        }
        let actions = bench.launch("51000000", id: 1000)
        #expect(actions.summaries == ["sender-0@c1 LAUNCH_ERROR 1000"])
        #expect(bench.advance(by: .seconds(3)).count == 2 + PendingLaunch.maximumWaiters)
    }

    @Test func invisibleSendersMayNotLaunch() {
        var bench = PlatformBench()
        _ = bench.connect("watcher", type: 2)
        let actions = bench.launch(id: 5, from: "watcher")
        #expect(actions.first?.json.string("reason") == "NOT_ALLOWED")
        // The same sender id on another channel is another sender.
        #expect(bench.launch(id: 5, from: "watcher", on: PlatformBench.second).count == 3)
    }

    @Test func startsAndroidAppsForWhoTakesThem() {
        let apps = [VirtualAppConfiguration(id: "233637DE") { $0.kind = .androidTV }]
        var bench = PlatformBench(apps: apps)
        let android = bench.send([
            "type": "LAUNCH", "requestId": 1, "appId": "233637DE", "supportedAppTypes": ["WEB", "ANDROID_TV", 5],
        ]).last?.status?.applications.first
        #expect(android?.appID == .youTubeAndroidTV)
        #expect(android?.universalAppID == .youTube)
        #expect(android?.appType == "ANDROID_TV")
        #expect(android?.displayName == "YouTube")
        for id in [AppID.youTube, .youTubeAndroidTV] {
            #expect(bench.launch(id, id: 2).summaries == ["sender-0@c1 RECEIVER_STATUS 2"])
        }

        var other = PlatformBench(apps: apps)
        let web = other.launch(.youTube, id: 1).last?.status?.applications.first
        #expect(web?.appID == .youTube)
        #expect(web?.appType == "WEB")
    }

    @Test func keepsWhatWasHandedOverForTheApp() {
        var bench = PlatformBench()
        let nested: JSONObject = [
            "launchCheckerParams": ["credentialsData": ["credentials": "u42", "credentialsType": "web"]]
        ]
        _ = bench.send([
            "type": "LAUNCH", "requestId": 1, "appId": "CC1AD845", "language": "de", "appParams": .object(nested),
            "customData": 5,
        ])
        let parameters = bench.platform.launchParameters
        #expect(parameters?.credentials?.credentials == "u42")
        #expect(parameters?.credentials?.credentialsType == "web")
        #expect(parameters?.appParams == .object(nested))
        #expect(parameters?.customData == 5)
        #expect(parameters?.language == "de")
        #expect(parameters.map { "\($0)".contains("u42") } == false)
        _ = bench.send(["type": "STOP", "requestId": 2])
        #expect(bench.platform.launchParameters == nil)
    }

    @Test func dashCastSaysThatItIsReady() {
        var bench = PlatformBench(apps: [VirtualAppConfiguration(id: "84912283")])
        let app = bench.launch(.dashCast, id: 1).last?.status?.applications.first
        #expect(app?.statusText == "Application ready")
        #expect(app?.displayName == "DashCast")
        #expect(app?.namespaces.contains("urn:x-cast:com.madmod.dashcast") == true)
    }

    @Test func everyAppHasANameAndANamespace() {
        var bench = PlatformBench(apps: [
            VirtualAppConfiguration(id: "ABCD1234") {
                $0.name = ""
                $0.statusText = "Waiting"
                $0.iconURL = "https://example.com/i.png"
            }
        ])
        let app = bench.launch("ABCD1234", id: 1).last?.status?.applications.first
        #expect(app?.displayName == "ABCD1234")
        #expect(app?.namespaces.isEmpty == false)
        #expect(app?.statusText == "Waiting")
        #expect(app?.iconURL == "https://example.com/i.png")
    }
}
