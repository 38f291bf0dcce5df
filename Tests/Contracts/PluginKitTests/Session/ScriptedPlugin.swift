import CastWire
import NIOCore
import PluginKit
import Synchronization

/// A plugin that does what messages tell it to.
final class ScriptedPlugin: CastPlugin {
    struct Configuration: Decodable {
        var greeting: String
        var rounds: Int?
    }

    struct Numbers: Codable, Equatable {
        var first: Int
        var rest: [Double]?
    }

    let gateway: PluginGateway
    let configuration: Configuration
    private let gates = Mutex<[String: Gate]>([:])
    private let seen = Mutex<[String]>([])

    init(_ gateway: PluginGateway) throws {
        self.gateway = gateway
        self.configuration = try gateway.configuration.decode()
    }

    static var maximumInFlight: Int? { 7 }

    private func gate(_ name: String) -> Gate {
        self.gates.withLock { gates in
            if let gate = gates[name] { return gate }
            let gate = Gate()
            gates[name] = gate
            return gate
        }
    }

    func start(_ snapshot: PluginSnapshot) async throws {
        if self.configuration.greeting == "no start" { throw PluginRPCError(.busy, "not now") }
        self.gateway.log(.info, "started", ["devices": .number(snapshot.devices.count)])
    }

    func operate(_ call: OperationCall) async throws -> JSONObject {
        switch call.operation {
        case "echo": return ["input": .object(call.input), "caller": .string(call.caller.name)]
        case "fail": throw OperationFailure("no_game", "no game is played", members: ["hint": "start one"])
        case "throw": throw Failure()
        case "wait":
            self.gateway.progress(of: call, fraction: 0.5, text: "half of it")
            try await self.gate("operation").wait()
            return ["isCancelled": .bool(Task.isCancelled)]
        case "open":
            self.gate("operation").open()
            return [:]
        case "call":
            let result = try await self.gateway.call("media.seek", ["device": "lobby"], wait: .seconds(1))
            return ["status": .number(result.status), "result": .object(result.result)]
        default: throw PluginRPCError(.methodNotFound, "there is no operation '\(call.operation)'")
        }
    }

    func handle(_ message: PluginMessage) async throws -> Verdict {
        let json = message.json ?? [:]
        switch message.type {
        case "WAIT":
            try await self.gate(json.string("gate") ?? "").wait()
            return .reply(["type": "WAITED"])
        case "OPEN":
            self.gate(json.string("gate") ?? "").open()
            return .handled
        case "ASK":
            let answer = try await self.gateway.request(
                .json(["type": "QUESTION", "requestId": 5]), namespace: message.namespace, of: message.device,
                within: .milliseconds(700))
            return .reply(answer)
        case "THROW": throw Failure()
        case "REJECT": throw Rejection("NOT_ALLOWED", "after ten")
        case "TYPED":
            let numbers: Numbers = try message.decode()
            return .reply(try .encoding(numbers))
        case "DEFER":
            self.gateway.clock.after(.seconds(3)) { self.gateway.complete(message, with: .reply(["type": "LATER"])) }
            return .deferred(within: .seconds(5))
        case "DEFER_EARLY":
            self.gateway.complete(message, with: .drop("early"))
            return .deferred
        case "SLEEP":
            try await self.gateway.clock.sleep(for: .seconds(json.int("seconds") ?? 0))
            return .reply(["type": "SLEPT", "now": .number(self.gateway.clock.now.milliseconds)])
        case "STORE":
            try await self.gateway.store.put("numbers", encoding: Numbers(first: 1, rest: [2.5]))
            let numbers = try await self.gateway.store.get("numbers", as: Numbers.self)
            let keys = try await self.gateway.store.keys(prefix: "n")
            return .reply([
                "type": "STORED", "same": .bool(numbers == Numbers(first: 1, rest: [2.5])), "keys": .number(keys.count),
            ])
        case "SEEN": return .reply(["type": "SEEN", "texts": .array(self.seen.withLock { $0 }.map { .string($0) })])
        case "GREET": return .reply(["type": .string(self.configuration.greeting)])
        default: return .reply(message.payload)
        }
    }

    func filter(_ message: PluginMessage) async throws -> Verdict {
        .rewrite(["type": "FILTERED"])
    }

    func observe(_ message: PluginMessage, dropped: Int) async throws {
        if message.type == "WAIT" {
            self.gateway.log(.info, "waits")
            try await self.gate("observer").wait()
        }
        self.seen.withLock { $0.append("\(message.id) \(dropped)") }
    }

    func event(_ event: PluginEvent) async throws {
        self.seen.withLock { $0.append(event.type) }
    }

    func reload(_ configuration: PluginConfiguration) async throws -> ReloadOutcome {
        let new: Configuration = try configuration.decode()
        return new.greeting == self.configuration.greeting ? .applied : .replace
    }

    func health() async -> PluginHealth { .degraded("tired") }

    func drain() async {
        self.gateway.log(.info, "drained")
    }

    struct Failure: Error, CustomStringConvertible {
        var description: String { "it broke" }
    }
}
