import CastWire
import GatewayCore
import NamespaceHandlers
import Testing

extension InteropTests {
    /// How the messages of `counting.py` were answered.
    private struct Count: Decodable {
        let sent: Int
        let lost: [Int]
        let doubled: [Int]
        let unasked: [Int]
        let sequences: [Int]
        let handledRequests: [Int]
        let otherRequests: [Int]
        let otherTypes: [String]
        let isAnswered: Bool
        let mediaRequests: Int
        let playerStates: [String]
        let mediaSessions: [Int]
    }

    /// What `routing.default: forward` comes to: behind a relay the far gateway echoes, the built-in receiver refuses
    /// a namespace that its app does not know.
    private static let otherwise: [Arrangement: String] = [
        .local: "INVALID_REQUEST", .relay: "COUNT", .oneGateway: "INVALID_REQUEST",
    ]

    private static let messages = 5000
    private static let chunks = 50

    @Test("A handler comes and goes while messages flow, and each is answered once", arguments: Arrangement.allCases)
    func handlersComeAndGo(_ arrangement: Arrangement) async throws {
        let echo = ChannelConfiguration(namespace: CounterHandler.namespace.rawValue, handler: .echo)
        try await arrangement.run(farChannels: [echo]) { devices in
            let counter = CounterHandler(device: devices.senderDevice)
            try await Driver.run(
                "counting.py", senderPort: devices.senderPort, witnessPort: devices.witnessPort
            ) { driver in
                try await driver.succeed("playing").expect(\.title, "One")
                let changes = try await self.swap(counter, in: devices.registry, following: driver)
                #expect(changes.added >= 20)
                #expect(changes.removed >= 20)

                let settled = try await driver.succeed("settled")
                settled.expect(\.title, "One")
                settled.expect(\.playerState, "PLAYING")
                settled.expect("plays where it was last sent to") { ($0.position ?? 0) >= 90 }
                let count = try await driver.next("counted").details(Count.self)
                self.check(count, counter: counter)
                #expect(count.otherTypes == [Self.otherwise[arrangement]])
            }
        }
    }

    /// Adds or removes the handler at every chunk of messages, while the next one is under way.
    private func swap(
        _ counter: CounterHandler, in registry: HandlerRegistry, following driver: Driver
    ) async throws -> (added: Int, removed: Int) {
        var changes = (added: 0, removed: 0)
        for chunk in 0..<Self.chunks {
            _ = try await driver.next("chunk")
            if chunk.isMultiple(of: 2) {
                try registry.register(counter)
                changes.added += 1
            } else {
                #expect(registry.unregister(counter.name))
                changes.removed += 1
            }
            try driver.letGoOn()
        }
        return changes
    }

    private func check(_ count: Count, counter: CounterHandler) {
        #expect(count.isAnswered)
        #expect(count.sent == Self.messages)
        #expect(count.lost == [])
        #expect(count.doubled == [])
        #expect(count.unasked == [])
        #expect(count.sequences.count + count.otherRequests.count == Self.messages)
        #expect(count.sequences == Array(1...max(1, counter.count)), "the handler's answers come in its order")
        #expect(count.handledRequests == count.handledRequests.sorted(), "the handler sees the sender's order")
        #expect(count.otherRequests == count.otherRequests.sorted(), "so does the device")
        #expect(count.handledRequests.count >= 500)
        #expect(count.otherRequests.count >= 500)

        #expect(count.mediaRequests == Self.messages / 40)
        #expect(Set(count.playerStates).isSubset(of: ["PLAYING", "PAUSED", "BUFFERING"]))
        #expect(count.mediaSessions.count == 1, "the same media plays on")
    }
}
