import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayCore
import NIOCore
import Testing

@testable import BuiltInReceiver

/// Long series of random events. What must hold whatever senders do:
/// one answer per request, to its sender alone, and never more than one app.
@Suite struct PlatformRandomTests {
    /// Who asked, and with which id.
    struct Asked: Hashable {
        let connection: ConnectionID
        let sender: EndpointID
        let id: JSONValue
    }

    private static let apps = [
        VirtualAppConfiguration(id: "CC1AD845") { $0.player = .simulated },
        VirtualAppConfiguration(id: "ABCD1234") { $0.namespaces = ["urn:x-cast:com.example.quiz"] },
        VirtualAppConfiguration(id: "51000000") { $0.options = SimulationOptions { $0.launchDelay = .seconds(2) } },
        VirtualAppConfiguration(id: "52000000") {
            $0.launch = .notAllowed
            $0.options = SimulationOptions { $0.launchDelay = .seconds(1) }
        },
        VirtualAppConfiguration(id: "53000000") {
            $0.launch = .cancelled
            $0.options = SimulationOptions { $0.launchDelay = .seconds(1) }
        },
        VirtualAppConfiguration(id: "54000000") { $0.launch = .notFound },
        VirtualAppConfiguration(id: "55000000") {
            $0.options = SimulationOptions { $0.launchDelay = .milliseconds(1500) }
        },
    ]

    private static let garbage: [JSONValue] = [
        .null, true, "", "CC1AD845", "session-1", -1, 1e308, [], [[]], ["": [:]], .string("\u{0}\u{1F600}"),
        .string(String(repeating: "z", count: 5000)), ["CC1AD845", 7, nil], ["level": "x"],
        ["level": 2, "muted": true],
    ]

    struct World {
        var bench: PlatformBench
        var open: [Asked: Int] = [:]
        var nextID = 1
        var generator: SeededGenerator
    }

    @Test(arguments: 0..<12 as Range<UInt64>)
    func everyRequestHasOneAnswer(seed: UInt64) {
        let bench = PlatformBench(apps: Self.apps, idleTimeout: .seconds(5), backdrop: seed % 2 == 0) {
            $0.id == "55000000" ? .startAfterApproval : LaunchPlan($0.launch)
        }
        var world = World(bench: bench, generator: SeededGenerator(seed: seed))
        for _ in 0..<800 { Self.step(&world) }
        for _ in 0..<40 { Self.check(world.bench.advance(by: .milliseconds(500)), &world) }
        #expect(world.open.isEmpty, "without an answer: \(world.open.keys)")
    }

    private static func step(_ world: inout World) {
        let connection = ConnectionID(rawValue: UInt64.random(in: 1...3, using: &world.generator))
        let sender = EndpointID(rawValue: "sender-\(Int.random(in: 0...2, using: &world.generator))")
        let app = world.bench.platform.application?.facts.transportID
        switch Int.random(in: 0..<100, using: &world.generator) {
        case 0..<12:
            let local = Bool.random(using: &world.generator) ? EndpointID.platformReceiver : app ?? "session-0"
            let result = world.bench.connect(
                sender, to: local, on: connection, type: Int.random(in: 0...3, using: &world.generator))
            Self.check(result.actions, &world)
        case 12..<18:
            // A sender that leaves the platform expects no answer any longer.
            world.open = world.open.filter { $0.key.connection != connection || $0.key.sender != sender }
            Self.check(world.bench.close(sender, on: connection), &world)
        case 18..<22:
            if let app { Self.check(world.bench.close(sender, from: app, on: connection), &world) }
        case 22..<24:
            world.open = world.open.filter { $0.key.connection != connection }
            Self.check(world.bench.platform.connectionLost(connection, at: world.bench.now), &world)
        case 24..<40:
            let step = Duration.milliseconds(Int.random(in: 0...1500, using: &world.generator))
            Self.check(world.bench.advance(by: step), &world)
        case 40..<60: Self.send(Self.random(&world), in: .receiver, to: .platformReceiver, sender, connection, &world)
        default: Self.request(sender, connection, app: app, &world)
        }
    }

    private static func request(
        _ sender: EndpointID, _ connection: ConnectionID, app: EndpointID?, _ world: inout World
    ) {
        let appID = JSONValue.string(Self.apps.randomElement(using: &world.generator)?.id ?? "")
        let session = world.bench.platform.currentSession?.sessionID ?? "none"
        let platform = EndpointID.platformReceiver
        let choices: [(JSONObject, Namespace, EndpointID)] = [
            (["type": "LAUNCH", "appId": appID], .receiver, platform),
            (["type": "LAUNCH", "appId": appID], .receiver, platform),
            (["type": "LAUNCH", "appId": appID, "supportedAppTypes": ["ANDROID_TV"]], .receiver, platform),
            (["type": "STOP", "sessionId": .string(session)], .receiver, platform),
            (["type": "STOP"], .receiver, platform),
            (["type": "GET_STATUS"], .receiver, platform),
            (["type": "GET_APP_AVAILABILITY", "appId": [appID]], .receiver, platform),
            (
                ["type": "SET_VOLUME", "volume": ["level": .number(Int.random(in: 0...1, using: &world.generator))]],
                .receiver, platform
            ),
            (["type": "GET_STATUS"], .multizone, platform),
            (["type": "GET_DEVICE_INFO"], .discovery, platform),
            (["type": "eureka_info"], .setup, platform),
            (["type": "ANY"], "urn:x-cast:com.example.unknown", platform),
            (["type": "ANY"], "urn:x-cast:com.example.unknown", app ?? platform),
            (["type": "GET_STATUS"], .media, app ?? platform),
        ]
        guard let (request, namespace, local) = choices.randomElement(using: &world.generator) else { return }
        var json = request
        let id = JSONValue.number(world.nextID)
        world.nextID += 1
        json["requestId"] = id
        world.open[Asked(connection: connection, sender: sender, id: id)] = 1
        Self.send(json, in: namespace, to: local, sender, connection, &world)
    }

    private static func send(
        _ json: JSONObject, in namespace: Namespace, to local: EndpointID, _ sender: EndpointID,
        _ connection: ConnectionID, _ world: inout World
    ) {
        Self.check(world.bench.send(json, in: namespace, from: sender, to: local, on: connection), &world)
    }

    /// A message of nonsense without an id.
    private static func random(_ world: inout World) -> JSONObject {
        let types: [JSONValue] = [
            "LAUNCH", "STOP", "SET_VOLUME", "GET_STATUS", "GET_APP_AVAILABILITY", "CONNECT", .null, 5,
        ]
        var json: JSONObject = ["type": types.randomElement(using: &world.generator) ?? .null]
        for name in ["appId", "sessionId", "volume", "appParams", "supportedAppTypes", "requestid"]
        where Bool.random(using: &world.generator) {
            json[name] = Self.garbage.randomElement(using: &world.generator)
        }
        return json
    }

    private static func check(_ actions: [ReceiverPlatform.Action], _ world: inout World) {
        for action in actions {
            if let status = action.status { #expect(status.applications.count <= 1) }
            guard case .send(let message, let connection) = action else { continue }
            guard let id = action.json["requestId"], id != 0 else { continue }
            let asked = Asked(connection: connection, sender: message.destination, id: id)
            #expect(world.open.removeValue(forKey: asked) != nil, "no request asked for \(action.summary)")
        }
    }
}
