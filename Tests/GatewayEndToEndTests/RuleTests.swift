import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayCore
import GatewayFixtures
import GatewaySettings
import NamespaceHandlers
import Testing
import VirtualDevices

/// Rules about apps hold for the built-in receiver and for a real device alike.
@Suite(.timeLimit(.minutes(3))) struct RuleTests {
    @Test(arguments: ["hall", "foyer"])
    func anAppThatMayNotBeStoppedIsNot(device: String) async throws {
        try await ReloadBench.with { _, bench in
            try await TestSender.connect(to: bench.port(device)) { sender in
                let transport = try await sender.launchAndLoad()
                let session = try #require(try await sender.status(requestID: 10).applications.first?.sessionID)
                try await bench.reload { configuration in
                    configuration.routing.rules = [
                        RoutingRule(
                            name: "stays", condition: RoutingCondition(type: ["STOP"], app: ["CC1AD845"]),
                            action: .reject),
                        RoutingRule(
                            name: "quiet",
                            condition: RoutingCondition(namespace: [.exact(.media)], app: ["CC1AD845"]), action: .reject
                        ),
                    ]
                }
                let stops: [JSONObject] = [
                    ["type": "STOP", "sessionId": .string(session)], ["type": "STOP"],
                    ["type": "STOP", "sessionId": "no-such-session"], ["type": "STOP", "sessionId": 5],
                ]
                for (index, stop) in stops.enumerated() {
                    var stop = stop
                    stop["requestId"] = .number(20 + index)
                    try await sender.send(stop, in: .receiver)
                    #expect(try await sender.answer(to: 20 + index)?.string("reason") == "NOT_ALLOWED")
                }
                // What is for all reaches the app too.
                try await sender.send(["type": "PAUSE", "requestId": 30], in: .media, to: .broadcast)
                #expect(try await sender.answer(to: 30)?.string("reason") == "NOT_ALLOWED")
                #expect(try await sender.status(requestID: 31).applications.first?.transportID == transport)
                try await bench.reload { $0.routing.rules = [] }
                try await sender.send(["type": "STOP", "requestId": 32, "sessionId": .string(session)], in: .receiver)
                #expect(try await sender.answer(to: 32)?.string("type") == "RECEIVER_STATUS")
            }
        }
    }

    @Test(arguments: ["hall", "foyer"])
    func anAppThatHasPlayedForAsLongAsItMayIsEnded(device: String) async throws {
        try await ReloadBench.with { _, bench in
            try await bench.reload { configuration in
                configuration.routing.rules = [
                    RoutingRule(
                        name: "a-second", condition: RoutingCondition(app: ["CC1AD845"]), action: .limit,
                        limit: RoutingLimit { $0.play = .seconds(1) })
                ]
            }
            try await TestSender.connect(to: bench.port(device)) { sender in
                let transport = try await sender.launch()
                try await sender.send(
                    ["type": "LOAD", "requestId": 5, "media": ["contentId": "http://192.0.2.1/film.mp4"]], in: .media,
                    to: transport)
                let end = try await sender.receive { message in
                    guard let status = ReceiverStatusPayload(message.payload)?.status else { return false }
                    return !status.applications.contains { $0.transportID == transport }
                }
                #expect(end?.isBroadcast == true)
            }
        }
    }

    /// What a sender calls itself counts for the connections that it names it on, and for messages to all.
    @Test func aSenderIsJudgedByItsName() async throws {
        try await ReloadBench.with { _, bench in
            try await bench.reload { configuration in
                configuration.routing.rules = [
                    RoutingRule(
                        name: "no-python", condition: RoutingCondition(type: ["LAUNCH"], senderName: ["PyChromecast*"]),
                        action: .reject)
                ]
            }
            try await TestSender.connect(to: bench.port("hall")) { sender in
                let launch: JSONObject = ["type": "LAUNCH", "requestId": 2, "appId": "CC1AD845"]
                for (id, agent) in [("sender-1", "PyChromecast/14"), ("sender-2", "VLC"), ("sender-1", "Other")] {
                    let source = EndpointID(rawValue: id)
                    try await sender.send(
                        ["type": "CONNECT", "userAgent": .string(agent)], in: .connection, from: source)
                    try await sender.send(launch, in: .receiver, from: source)
                    let answer = try await sender.answer(to: 2)
                    let isRefused = answer?.string("reason") == "NOT_ALLOWED"
                    #expect(isRefused == agent.hasPrefix("PyChromecast"), "\(agent)")
                }
            }
        }
    }

    /// The app is gone when its time is over, for the built-in receiver and for a real device.
    @Test(arguments: ["hall", "foyer"])
    func anAppThatHasPlayedForItsTimeIsEnded(device: String) async throws {
        try await ReloadBench.with { _, bench in
            try await bench.reload { configuration in
                configuration.routing.rules = [
                    RoutingRule(
                        name: "a-second", condition: RoutingCondition(device: [Glob(device)]), action: .limit,
                        limit: RoutingLimit { $0.play = .seconds(1) }),
                    // What ends the app is not judged by rules.
                    RoutingRule(name: "stays", condition: RoutingCondition(type: ["STOP"]), action: .reject),
                ]
            }
            try await TestSender.connect(to: bench.port(device)) { sender in
                _ = try await sender.launchAndLoad()
                let gone = try await sender.receive { message in
                    let json = message.payload.jsonObject
                    guard json?.string("type") == "RECEIVER_STATUS", let status = json?.object("status") else {
                        return false
                    }
                    return ReceiverStatus(json: status).applications.isEmpty
                }
                #expect(gone != nil)
            }
        }
    }
}
