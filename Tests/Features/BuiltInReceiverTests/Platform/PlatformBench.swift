import CastWire
import GatewayCore
import NIOConcurrencyHelpers
import NIOCore

@testable import BuiltInReceiver

/// A device that says little of itself.
private struct BenchDescription: DeviceDescription {
    let hasScreen: Bool

    func deviceInformation(requestID: RequestID) -> JSONObject {
        ["type": "DEVICE_INFO", "requestId": requestID.json, "friendlyName": "Test screen"]
    }

    func setupInformation(params: [String]?) -> JSONObject {
        let blocks: JSONObject = [
            "build_info": [:], "device_info": [:], "name": "Test screen", "uptime": 1000, "version": 12, "wifi": [:],
        ]
        let wanted = Set(params ?? [])
        return JSONObject(blocks.members.filter { wanted.contains($0.name) }.map { ($0.name, $0.value) })
    }
}

/// A built-in receiver with senders around it, and a clock that stands still until it is moved.
struct PlatformBench {
    static let first = ConnectionID(rawValue: 1)
    static let second = ConnectionID(rawValue: 2)

    var platform: ReceiverPlatform
    var now = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

    init(
        apps: [VirtualAppConfiguration]? = nil, idleTimeout: Duration = .seconds(300), backdrop: Bool = false,
        volume: VolumeConfiguration = VolumeConfiguration(), hasScreen: Bool = true,
        plan: @escaping @Sendable (VirtualAppConfiguration) -> LaunchPlan = { LaunchPlan($0.launch) }
    ) {
        // Apps start at once here, unless a test gives one a delay of its own.
        let usual = SimulationOptions().launchDelay
        let apps = (apps ?? [VirtualAppConfiguration(id: "CC1AD845") { $0.player = .simulated }]).map { app in
            var app = app
            if app.options.launchDelay == usual { app.options.launchDelay = .zero }
            return app
        }
        let count = NIOLockedValueBox(0)
        self.platform = ReceiverPlatform(
            configuration: ReceiverConfiguration {
                $0.apps = apps
                $0.idleTimeout = idleTimeout
                $0.backdrop = backdrop
                $0.volume = volume
            },
            description: BenchDescription(hasScreen: hasScreen),
            makeID: { "session-\(count.withLockedValue { $0 += 1; return $0 })" }, launchPlan: plan)
    }

    mutating func connect(
        _ sender: EndpointID, to local: EndpointID = .platformReceiver, on connection: ConnectionID = Self.first,
        type: Int = 0
    ) -> (accepted: Bool, actions: [ReceiverPlatform.Action]) {
        let json: JSONObject = ["type": "CONNECT", "connType": .number(type)]
        let message = CastMessage(source: sender, destination: local, namespace: .connection, json: json)
        return self.platform.connect(message, payload: ConnectionPayload(json: json), from: connection, at: self.now)
    }

    mutating func close(
        _ sender: EndpointID, from local: EndpointID = .platformReceiver, on connection: ConnectionID = Self.first
    ) -> [ReceiverPlatform.Action] {
        self.platform.disconnect(sender: sender, transport: local, connection: connection, at: self.now)
    }

    mutating func send(
        _ json: JSONObject, in namespace: Namespace = .receiver, from sender: EndpointID = "sender-0",
        to local: EndpointID = .platformReceiver, on connection: ConnectionID = Self.first
    ) -> [ReceiverPlatform.Action] {
        self.platform.handle(
            CastMessage(source: sender, destination: local, namespace: namespace, json: json), from: connection,
            at: self.now)
    }

    mutating func launch(
        _ app: AppID = .defaultMediaReceiver, id: RequestID = 1, from sender: EndpointID = "sender-0",
        on connection: ConnectionID = Self.first
    ) -> [ReceiverPlatform.Action] {
        self.send(ReceiverRequest.launch(app, requestID: id).json, from: sender, on: connection)
    }

    /// Moves the clock and fires the timer, if it is due, once.
    mutating func advance(by duration: Duration) -> [ReceiverPlatform.Action] {
        self.now = self.now + TimeAmount(duration)
        guard let due = self.platform.nextDeadline, due <= self.now else { return [] }
        return self.platform.timerFired(at: self.now)
    }

    /// What the app has loaded.
    var media: JSONObject? { self.platform.application?.player?.currentStatus(at: self.now) }

    /// The end at which the app is.
    var transport: EndpointID { self.platform.currentSession?.transportID ?? "none" }
}

extension ReceiverPlatform.Action {
    /// The message's JSON, when this is one.
    var json: JSONObject {
        switch self {
        case .send(let message, _), .broadcast(let message): message.payload.jsonObject ?? [:]
        default: [:]
        }
    }

    /// One word per action, such as `all RECEIVER_STATUS 0` or `sender-0@c1 LAUNCH_ERROR 5`.
    var summary: String {
        let json = self.json
        let id = (json["requestId"] ?? json["launchRequestId"] ?? json["request_id"])?.text ?? "-"
        let type = json.string("type") ?? json.string("responseType") ?? "?"
        return switch self {
        case .send(let message, let connection): "\(message.destination)@\(connection) \(type) \(id)"
        case .broadcast(let message): "\(message.source)->all \(type) \(id)"
        case .closeVirtualConnections(let end): "CLOSE \(end)"
        case .sessionStarted(let facts): "started \(facts.appID) \(facts.sessionID)"
        case .sessionEnded(let session, let reason, _): "ended \(session) \(reason)"
        case .tell(let change): "tell \(change.name)"
        case .ask(let question, let plugin, _, _): "ask \(plugin) \(question.kind.rawValue)"
        case .changeMembers(let order, let member):
            "members \(member ?? "all") \(order.level.map { "\($0)" } ?? "-") \(order.isMuted.map { "\($0)" } ?? "-")"
        }
    }

    /// The status that a RECEIVER_STATUS carries.
    var status: ReceiverStatus? { ReceiverStatusPayload(json: self.json).status }
}

extension [ReceiverPlatform.Action] {
    /// The actions, one line each.
    var summaries: [String] { self.map(\.summary) }
}
