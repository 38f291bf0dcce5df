import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayCore
import GatewayJournal
import GatewayOperations
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

@testable import MessageBridges

/// A bridge with a journal and operations that write down what they are asked.
final class BridgeBench: Sendable {
    /// How much slower than a machine of one's own the tests' machine may be.
    static let slowness = 4

    let events = EventBus()
    let bridge: MQTTBridge
    let calls = Inbox<Call>()
    let log = LogRecorder()
    private let journal: EventJournal

    /// A call as it reached an operation.
    struct Call: Sendable {
        let name: String
        let device: String
        let caller: String
        var level: Double?
    }

    init(
        _ broker: Broker, configuration change: (inout MQTTConfiguration) -> Void = { _ in },
        sleep: @escaping @Sendable (Duration) async -> Void = { _ in },
        times: (inout MQTTLinkStateMachine.Times) -> Void = { _ in }
    ) throws {
        self.journal = EventJournal(events: self.events, logger: self.log.logger("Journal"))
        self.journal.attach()
        let configuration = MQTTConfiguration(url: "mqtt://127.0.0.1:\(broker.port)") {
            $0.responseTopics = ["me/answers"]
            change(&$0)
        }
        var waits = MQTTLinkStateMachine.Times()
        times(&waits)
        self.bridge = MQTTBridge(
            configuration, gateway: MQTTBridge.Gateway(id: "gw1", name: "Castway", version: "1.2.3"),
            events: self.journal, logger: self.log.logger("MQTT"), times: waits, sleep: sleep)
        self.bridge.attach(
            OperationCatalogue([
                PauseBench(calls: self.calls), VolumeBench(calls: self.calls), SendBench(calls: self.calls),
            ]))
    }

    /// Runs bridge and journal until the body has ended; the bridge says goodbye before this returns.
    func run(_ body: @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { journal in
            journal.addTask { try await JournalService(self.journal).run() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await self.bridge.run() }
                defer { group.cancelAll() }
                try await body()
            }
            journal.cancelAll()
        }
    }

    static func receiverStatus(level: Double) -> JSONObject {
        [
            "volume": ["level": .number(level), "muted": false], "isStandBy": false,
            "applications": [["appId": "CC1AD845", "displayName": "Player", "sessionId": "s-1"]],
        ]
    }
}

/// `media.pause`, which does nothing; on the device `lost` nothing is loaded.
private struct PauseBench: GatewayOperation {
    struct Input: OperationInput {
        var device = ""
        static let keys: [Key] = [
            .required("device", \.device, .text(maximumBytes: 100), "The device")
        ]
        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "media.pause"
    static let route = OperationRoute(.post, "/devices/{device}/media/pause")
    static let scope = OperationScope.control
    static let reach = OperationReach.anyone
    static let summary = "Does nothing"
    static let result = OperationResult("What it did", [.init("device", .text, "The device")])

    let calls: Inbox<BridgeBench.Call>

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        try caller.require(device: input.device)
        guard input.device != "lost" else {
            throw OperationProblem(deviceFailure: .noMediaSession, "'lost' plays nothing")
        }
        self.calls.put(BridgeBench.Call(name: "media.pause", device: input.device, caller: caller.name))
        return ["device": .string(input.device)]
    }
}

/// `volume.set`, which does nothing.
private struct VolumeBench: GatewayOperation {
    struct Input: OperationInput {
        var device = ""
        var level: Double?
        static let keys: [Key] = [
            .required("device", \.device, .text(maximumBytes: 100), "The device"),
            .optional("level", \.level, .number(0...1), "How loud"),
        ]
        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "volume.set"
    static let route = OperationRoute(.put, "/devices/{device}/volume")
    static let scope = OperationScope.control
    static let reach = OperationReach.anyone
    static let summary = "Does nothing"
    static let result = OperationResult("What it did", [.init("device", .text, "The device")])

    let calls: Inbox<BridgeBench.Call>

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        try caller.require(device: input.device)
        self.calls.put(
            BridgeBench.Call(name: "volume.set", device: input.device, caller: caller.name, level: input.level))
        return ["device": .string(input.device)]
    }
}

/// `message.send`, which does nothing.
private struct SendBench: GatewayOperation {
    struct Input: OperationInput {
        var device = ""
        var namespace = ""
        var text: String?
        static let keys: [Key] = [
            .required("device", \.device, .text(maximumBytes: 100), "The device"),
            .required("namespace", \.namespace, .text(), "Where"),
            .optional("text", \.text, .text(), "What"),
        ]
        init(blank: ConfigBlank) {}
    }

    static let name: OperationName = "message.send"
    static let route = OperationRoute(.post, "/devices/{device}/messages")
    static let scope = OperationScope.messages
    static let reach = OperationReach.anyone
    static let summary = "Does nothing"
    static let result = OperationResult("What it did", [.init("device", .text, "The device")])

    let calls: Inbox<BridgeBench.Call>

    func perform(_ input: Input, for caller: Caller) async throws(OperationProblem) -> JSONObject {
        try caller.require(device: input.device)
        self.calls.put(BridgeBench.Call(name: input.namespace, device: input.device, caller: caller.name))
        return ["device": .string(input.device)]
    }
}
