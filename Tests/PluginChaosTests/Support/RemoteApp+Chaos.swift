import CastClient
import CastWire
import Testing

extension RemoteApp {
    /// Asks a plugin, or what answers in its place.
    func ask(_ type: String, _ plugin: ChaosPlugin) async throws -> Answer {
        try await self.ask(["type": .string(type)], in: Namespace(rawValue: plugin.namespace))
    }

    /// Asks a plugin until it says that it has a message of another sender's that it keeps.
    func untilHeld(_ plugin: ChaosPlugin) async throws {
        var answer: Answer
        repeat {
            answer = try await self.ask("HELLO", plugin)
            try #require(answer.type == "ANSWER", "\(plugin.name) \(answer)")
        } while answer.held == 0
    }

    /// Says something in a namespace that no plugin has to do with.
    func askBystander() async throws -> Answer {
        try await self.ask(["type": "ECHO"], in: ChaosBench.echo)
    }

    private func ask(_ message: JSONObject, in namespace: Namespace) async throws -> Answer {
        let began = ContinuousClock.now
        let answer = try await self.device.request(message, in: namespace, to: self.transportID)
        return Answer(json: try #require(answer.payload.jsonObject), time: ContinuousClock.now - began)
    }
}
