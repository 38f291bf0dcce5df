import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayOperations
import NIOCore
import Testing

@testable import MessageBridges

@Suite(.timeLimit(.minutes(2))) struct MQTTCommandsTests {
    /// A bridge, and a client that sends it commands.
    private func run(
        version: Int = 5, _ change: (inout MQTTConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (BridgeBench, MQTTPeer) async throws -> Void
    ) async throws {
        let broker = try await Broker()
        let bench = try BridgeBench(broker, configuration: change)
        let peer = try await MQTTPeer(broker, version: version)
        try await peer.subscribe("castway/gw1/bridge/state")
        try await bench.run {
            #expect(try await peer.next().text == "online")
            try await body(bench, peer)
        }
    }

    @Test func commandsOfADeviceAreCarriedOutInTheirOrder() async throws {
        try await self.run { bench, peer in
            for number in 1...50 {
                peer.post("castway/gw1/device/hall%2F1/set", "{\"volume\": \(Double(number) / 100)}")
            }
            try await peer.publish("castway/gw1/device/hall%2F1/cmd/pause")
            for number in 1...50 {
                let call = try #require(await bench.calls.next())
                #expect(call.level == Double(number) / 100 && call.device == "hall/1" && call.caller == "mqtt")
            }
            #expect(await bench.calls.next()?.name == "media.pause")
        }
    }

    @Test func requestsAreAnsweredWhereTheyWantIt() async throws {
        try await self.run { bench, peer in
            try await peer.subscribe("me/answers")
            try await peer.publish(
                "castway/gw1/rpc/media.pause", "{\"device\": \"hall\"}",
                ["response": "me/answers", "correlation": "00ff10"])
            let answer = try await peer.next()
            #expect(answer.object == ["ok": true, "result": ["device": "hall"]])
            #expect(
                answer.json.string("correlation") == "00ff10"
                    && answer.json.string("content_type") == "application/json")
            #expect(answer.json.int("format") == 1 && answer.json.int("expiry") ?? 0 > 50 && !answer.isRetained)
            try await peer.publish("castway/gw1/rpc/media.pause", "{\"devise\": 1}", ["response": "me/answers"])
            let error = try #require(try await peer.next().object.object("error"))
            #expect(
                error.string("code") == "invalid_input" && error.int("status") == 422 && error.array("errors") != nil)
            for (topic, text, code) in [
                ("rpc/no.such", "{}", "unknown_operation"), ("rpc/media.pause", "{", "bad_request"),
                ("rpc/message.send", "{}", "scope_missing"), ("rpc/nobody/media.pause", "{}", "unauthorized"),
                ("device/hall/cmd/dance", "", "unknown_operation"),
                ("device/hall/set", "{\"colour\": 1}", "invalid_input"),
                ("device/hall/cmd/volume", "loud", "invalid_input"), ("rpc/ÄÖ", "", "unknown_operation"),
            ] {
                try await peer.publish("castway/gw1/\(topic)", text, ["response": "me/answers"])
                let answer = try await peer.next().object
                #expect(
                    answer.bool("ok") == false && answer.object("error")?.string("code") == code, "\(topic): \(answer)")
            }
        }
    }

    @Test func failuresOfDevicesAreToldInTheConfiguredLanguage() async throws {
        try await self.run { configuration in
            configuration.language = .german
            var spanish = MQTTPrincipalConfiguration()
            spanish.scopes = [.control]
            spanish.language = .spanish
            var other = MQTTPrincipalConfiguration()
            other.scopes = [.control]
            configuration.principals = ["panel": spanish, "lights": other]
        } _: { _, peer in
            try await peer.subscribe("me/answers")
            for (topic, text) in [
                ("rpc/media.pause", "es ist nichts geladen"), ("rpc/panel/media.pause", "no hay nada cargado"),
                ("rpc/lights/media.pause", "es ist nichts geladen"),
            ] {
                try await peer.publish("castway/gw1/\(topic)", "{\"device\": \"lost\"}", ["response": "me/answers"])
                let error = try #require(try await peer.next().object.object("error"))
                #expect(error.string("localized_description") == text, "\(topic)")
                #expect(error.string("message") == "'lost' plays nothing" && error.int("cast_code") == 32)
            }
        }
    }

    @Test func withoutALanguageNothingIsTranslated() async throws {
        try await self.run { _, peer in
            try await peer.subscribe("me/answers")
            try await peer.publish(
                "castway/gw1/rpc/media.pause", "{\"device\": \"lost\"}", ["response": "me/answers"])
            let error = try #require(try await peer.next().object.object("error"))
            #expect(error.int("cast_code") == 32 && error["localized_description"] == nil)
        }
    }

    @Test func olderClientsSayInTheBodyWhereTheyAreAnswered() async throws {
        try await self.run(version: 4, { $0.version = .v311 }) { bench, peer in
            try await peer.subscribe("castway/gw1/rpc-reply/me")
            try await peer.publish(
                "castway/gw1/rpc/media.pause",
                "{\"device\": \"hall\", \"reply_to\": \"castway/gw1/rpc-reply/me\", \"id\": 7}")
            #expect(try await peer.next().object == ["ok": true, "result": ["device": "hall"], "id": 7])
            #expect(await bench.calls.next()?.device == "hall")
            // Elsewhere nothing is answered, and nothing carried out.
            try await peer.publish(
                "castway/gw1/rpc/media.pause", "{\"device\": \"a\", \"reply_to\": \"castway/gw1/device/a/set\"}")
            try await peer.publish("castway/gw1/rpc/media.pause", "{\"device\": \"b\", \"reply_to\": \"me\"}")
            try await peer.publish("castway/gw1/rpc/media.pause", "{\"device\": \"c\"}")
            #expect(await bench.calls.next()?.device == "c")
        }
    }

    @Test func answersAreNotPublishedAsCommands() async throws {
        try await self.run { bench, peer in
            for topic in [
                "castway/gw1/device/a/cmd/pause", "castway/gw2/rpc/media.pause", "$SYS/a", "castway/gw1/bridge/state",
            ] {
                try await peer.publish(
                    "castway/gw1/rpc/media.pause", "{\"device\": \"a\"}", ["response": .string(topic)])
            }
            try await peer.publish("castway/gw1/device/b/cmd/pause")
            #expect(await bench.calls.next()?.device == "b")
        }
    }

    @Test func whatComesTwiceIsDoneOnce() async throws {
        try await self.run { bench, peer in
            for _ in 0..<3 { try await peer.publish("castway/gw1/device/a/cmd/pause", "", ["id": "one"]) }
            for _ in 0..<3 { try await peer.publish("castway/gw1/device/b/cmd/pause", "{\"id\": \"one\"}") }
            try await peer.publish("castway/gw1/device/c/cmd/pause", "", ["id": "two"])
            var devices: [String] = []
            for _ in 0..<3 { devices.append(try #require(await bench.calls.next()).device) }
            #expect(Set(devices) == ["a", "b", "c"])
        }
    }

    @Test func whoAsksAgainIsAnsweredAgain() async throws {
        try await self.run { bench, peer in
            try await peer.subscribe("me/answers")
            for correlation in ["01", "02"] {
                try await peer.publish(
                    "castway/gw1/rpc/media.pause", "{\"device\": \"hall\"}",
                    ["response": "me/answers", "correlation": .string(correlation), "id": "one"])
                let answer = try await peer.next()
                #expect(answer.object == ["ok": true, "result": ["device": "hall"]])
                #expect(answer.json.string("correlation") == correlation)
            }
            for _ in 0..<2 {
                try await peer.publish(
                    "castway/gw1/device/hall/cmd/dance", "", ["response": "me/answers", "id": "two"])
                #expect(try await peer.next().object.bool("ok") == false)
            }
            try await peer.publish("castway/gw1/device/last/cmd/pause")
            #expect(await bench.calls.next()?.device == "hall")
            #expect(await bench.calls.next()?.device == "last")
        }
    }

    @Test func retainedCommandsAreDropped() async throws {
        let broker = try await Broker()
        let peer = try await MQTTPeer(broker)
        try await peer.publish("castway/gw1/device/old/cmd/pause", "", ["retain": true])
        try await peer.publish("castway/gw1/device/old/set", "{\"volume\": 1}", ["retain": true])
        let bench = try BridgeBench(broker)
        try await peer.subscribe("castway/gw1/bridge/state")
        try await bench.run {
            _ = try await peer.next()
            try await peer.publish("castway/gw1/device/new/cmd/pause")
            #expect(await bench.calls.next()?.device == "new")
        }
        #expect(bench.log.entries.contains { $0.message == "A retained command is not carried out" })
    }

    @Test func rightsAreThoseOfTheTopic() async throws {
        try await self.run({
            $0.devices = ["hall"]
            $0.principals = [
                "chat": MQTTPrincipalConfiguration {
                    $0.scopes = [.messages]
                    $0.devices = ["room-*"]
                }
            ]
        }) { bench, peer in
            try await peer.subscribe("me/answers")
            func code(_ topic: String, _ text: String) async throws -> String? {
                try await peer.publish("castway/gw1/\(topic)", text, ["response": "me/answers"])
                return try await peer.next(on: "me/answers").object.object("error")?.string("code")
            }
            #expect(try await code("rpc/media.pause", "{\"device\": \"room-1\"}") == "device_not_allowed")
            #expect(try await code("rpc/chat/media.pause", "{\"device\": \"room-1\"}") == "scope_missing")
            #expect(try await code("device/hall/msg/tx/com.example", "{\"payload\": \"hi\"}") == "scope_missing")
            #expect(
                try await code("rpc/chat/message.send", "{\"device\": \"room-1\", \"namespace\": \"urn:x-cast:a\"}")
                    == nil)
            #expect(await bench.calls.next()?.caller == "mqtt:chat")
        }
    }

    @Test func messagesGoToApps() async throws {
        try await self.run({ $0.scopes = [.messages] }) { bench, peer in
            try await peer.publish("castway/gw1/device/hall/msg/tx/com.example%2Fchat", "{\"payload\": \"hi\"}")
            let call = try #require(await bench.calls.next())
            #expect(call.name == "urn:x-cast:com.example/chat" && call.device == "hall")
        }
    }

    @Test func aFloodCostsOnlyItself() async throws {
        try await self.run { bench, peer in
            try await peer.publish("castway/gw1/device/hall/cmd/pause", "", ["count": 5000])
            try await peer.publish("castway/gw1/rpc/x", "", ["size": 300_000])
            try await peer.publish("castway/gw1/device/%00/cmd/pause", "\u{0}")
            // The bucket fills again by time; the bridge still answers.
            try await peer.subscribe("me/answers")
            try await peer.publish(
                "castway/gw1/rpc/media.pause", "{\"device\": \"z\"}", ["response": "me/answers", "insists": true])
            let answer = try await peer.next(on: "me/answers")
            #expect(answer.object.bool("ok") == true)
        }
    }
}
