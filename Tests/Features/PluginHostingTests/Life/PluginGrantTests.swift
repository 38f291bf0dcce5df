import CastWire
import CastwayTestSupport
import GatewayCore
import Glibc
import Logging
import PluginKit
import Synchronization
import SystemPrimitives
import Testing

@testable import PluginHosting

/// What a plugin wants beside its verdicts, and what its grant makes of it.
@Suite(.serialized, .timeLimit(.minutes(2))) struct PluginGrantTests {
    private static func call(_ method: String, _ params: JSONObject) -> String {
        let json: JSONObject = ["type": "CALL", "method": .string(method), "params": .object(params)]
        return JSONValue.object(json).text
    }

    private static func effects(_ effects: JSONObject...) -> String {
        let json: JSONObject = ["type": "EFFECTS", "effects": .array(effects.map { .object($0) })]
        return JSONValue.object(json).text
    }

    private static let send: JSONObject = [
        "device": "lobby", "namespace": .string(PluginBench.namespace.rawValue), "payload": ["type": "HELLO"],
    ]

    @Test func withoutAGrantNothingIsDone() async throws {
        try await PluginBench.run { bench in
            try await bench.ready()
            let calls: [(String, JSONObject)] = [
                ("gateway.send", Self.send), ("gateway.broadcast", Self.send),
                ("gateway.emit", ["event": "quiz.won"]), ("kv.get", ["key": "a"]),
                ("kv.put", ["key": "a", "value": 1]), ("kv.delete", ["key": "a"]), ("kv.list", [:]),
                ("gateway.call", ["operation": "gateway.get"]), ("provider.publish", ["devices": []]),
                ("provider.withdraw", ["names": []]),
            ]
            for (method, params) in calls {
                let answer = try await bench.ask(Self.call(method, params))
                #expect(answer.int("error") == -32001, "\(method)")
            }
            #expect(try await bench.ask(Self.call("gateway.fly", [:])).int("error") == -32601)
            #expect(try await bench.ask(Self.call("kv.get", [:])).int("error") == -32602)
            #expect(await bench.service.status().counts.refused == calls.count)
        }
    }

    /// A reload that takes the right away takes the devices too.
    @Test func devicesGoWithTheRightToProvideThem() async throws {
        try await PluginBench.run {
            $0.provides = [.devices]
        } body: { bench in
            let lists = Inbox<[String]>()
            bench.context.devices.attach { _ in
                false
            } onChange: { entries in
                lists.put(entries.map(\.device.name))
            }
            #expect(await lists.next() == [])
            try await bench.ready()
            let publish = Self.call("provider.publish", ["devices": [["name": "annex", "address": "192.0.2.1"]]])
            #expect(try await bench.ask(publish).int("error") == nil)
            #expect(await lists.next() == ["annex"])
            var instance = bench.service.instance
            instance.provides = []
            let taken = Latch()
            bench.service.input.yield(.follow(instance, restarts: false, taken))
            await taken.wait()
            #expect(await lists.next() == [])
            #expect(try await bench.ask(publish).int("error") == -32001)
        }
    }

    /// The event loops of real devices are asked for such plugins alone as may hear of them, and for their start alone.
    @Test(arguments: [MessageLeg.sender, .own])
    func ownSessionsAreLookedAtForPluginsOnTheirLeg(_ leg: MessageLeg) async throws {
        let claim = PluginClaim(match: "urn:x-cast:test.other", phase: .handle, leg: leg)
        try await PluginBench.run(namespaces: [PluginBench.handle, GrantedNamespace(claim)]) { bench in
            try await bench.ready()
            #expect(try await bench.ask(Self.call("gateway.query", ["what": "sessions"])).int("error") == nil)
            #expect(bench.internalSenders.ownSnapshots.withLock { $0 } == (leg == .own ? 1 : 0))
        }
    }

    @Test func theScopeBoundsToWhomItSends() async throws {
        try await PluginBench.run { instance in
            instance.send = .sameSession
        } body: { bench in
            try await bench.ready()
            let answer = try await bench.ask(Self.call("gateway.send", Self.send))
            #expect(answer.string("type") == "RESULT")
            #expect(answer.int("error") == nil)
            let sent = await bench.internalSenders.sent.next()
            // The session of which it was given a message is filled in.
            #expect(sent?.place == AppAddress(device: "lobby", session: "s-1"))
            #expect(sent?.origin == MessageOrigin("actor"))
            #expect(sent?.text == #"{"type":"HELLO"}"#)
            for (key, value) in [("session", "s-2"), ("device", "hall"), ("namespace", "urn:x-cast:test.other")] {
                var params = Self.send
                params[key] = .string(value)
                #expect(try await bench.ask(Self.call("gateway.send", params)).int("error") == -32001)
            }
            var waiting = Self.send
            waiting["wait"] = 100
            #expect(
                try await bench.ask(Self.call("gateway.send", waiting)).string("payload") == #"{"type":"ANSWERED"}"#)
        }
    }

    /// What it only observes counts as well, once it may send.
    @Test(arguments: [RoutingPhase.observe, .filter, .handle])
    func whoMaySendSpeaksInEveryNamespaceOfItsGrant(_ phase: RoutingPhase) async throws {
        let other = GrantedNamespace(PluginClaim(match: "urn:x-cast:test.other", phase: phase))
        try await PluginBench.run(namespaces: [PluginBench.handle, other], { $0.send = .any }) { bench in
            try await bench.ready()
            var params = Self.send
            params["namespace"] = "urn:x-cast:test.other"
            for method in ["gateway.send", "gateway.broadcast"] {
                #expect(try await bench.ask(Self.call(method, params)).int("error") == nil)
                #expect(await bench.internalSenders.sent.next()?.origin == MessageOrigin("actor"))
            }
            params["namespace"] = "urn:x-cast:test.third"
            #expect(try await bench.ask(Self.call("gateway.send", params)).int("error") == -32001)
            try await bench.send(
                Self.effects(["do": "broadcast", "namespace": "urn:x-cast:test.other", "payload": [:]]))
            #expect(await bench.steps.next() == .toSenders("{}", destination: .broadcast))
        }
    }

    /// Without `send` a plugin speaks in its verdicts alone, which it gives where it decides.
    @Test(arguments: [RoutingPhase.observe, .filter])
    func withoutSendAVerdictSpeaksWhereThePluginDecides(_ phase: RoutingPhase) async throws {
        let other = GrantedNamespace(PluginClaim(match: "urn:x-cast:test.other", phase: phase))
        try await PluginBench.run(namespaces: [PluginBench.handle, other]) { bench in
            try await bench.ready()
            try await bench.send(
                Self.effects(
                    ["do": "reply_to_sender", "namespace": "urn:x-cast:test.other", "payload": ["n": 1]],
                    ["do": "reply_to_sender", "payload": ["n": 2]]))
            if phase == .filter {
                #expect(await bench.steps.next() == .toSenders(#"{"n":1}"#, destination: "sender-1"))
            }
            #expect(await bench.steps.next() == .toSenders(#"{"n":2}"#, destination: "sender-1"))
            #expect(await bench.service.status().counts.refused == (phase == .filter ? 0 : 1))
        }
    }

    /// A filter answers as an owner does, with the number of the request.
    @Test func aFilterMayReply() async throws {
        let filter = GrantedNamespace(PluginClaim(match: PluginBench.namespace.rawValue, phase: .filter))
        try await PluginBench.run(namespaces: [filter]) { bench in
            try await bench.ready()
            #expect(try await bench.ask(#"{"type":"ECHO","requestId":4}"#) == ["type": "ECHO", "requestId": 4])
            #expect(await bench.service.status().counts.invalid == 0)
        }
    }

    @Test func whatFollowsFromAMessageCountsItsHops() async throws {
        try await PluginBench.run { instance in
            instance.send = .any
        } body: { bench in
            try await bench.ready()
            let origin = MessageOrigin("other", after: MessageOrigin("third"))
            try await bench.send(Self.call("gateway.broadcast", Self.send), origin: origin)
            let sent = await bench.internalSenders.sent.next()
            #expect(sent?.isBroadcast == true)
            #expect(sent?.origin == MessageOrigin("actor", after: origin))
            #expect(await bench.answer().string("type") == "RESULT")
            var unknown = Self.send
            unknown["device"] = "hall"
            #expect(try await bench.ask(Self.call("gateway.send", unknown)).int("error") == -32006)
        }
    }

    @Test func queriesAnswerWithinTheGrant() async throws {
        try await PluginBench.run { bench in
            try await bench.ready()
            let devices = try await bench.ask(Self.call("gateway.query", ["what": "devices"]))
            #expect(devices.array("devices")?.first?.objectValue?.string("friendlyName") == "Lobby")
            let media = try await bench.ask(Self.call("gateway.query", ["what": "media", "device": "lobby"]))
            #expect(media.array("media")?.first?.objectValue?.object("status")?.string("playerState") == "PLAYING")
            let none = try await bench.ask(Self.call("gateway.query", ["what": "sessions", "device": "hall"]))
            #expect(none.array("sessions")?.isEmpty == true)
        }
        let elsewhere = GrantedNamespace(
            PluginClaim(match: PluginBench.namespace.rawValue, phase: .handle, devices: ["lobby", "hall"]))
        let narrow = GrantedNamespace(
            PluginClaim(match: PluginBench.namespace.rawValue, phase: .observe, devices: ["hall"]))
        try await PluginBench.run(namespaces: [elsewhere, narrow]) { bench in
            try await bench.ready()
            let devices = try await bench.ask(Self.call("gateway.query", ["what": "devices"]))
            #expect(devices.array("devices")?.count == 1)
        }
    }

    @Test func itKeepsValuesOverItsLives() async throws {
        try await PluginBench.run { instance in
            instance.storage = 64
        } body: { bench in
            try await bench.ready()
            #expect(try await bench.ask(Self.call("kv.put", ["key": "a", "value": ["n": 1]])).int("error") == nil)
            try await bench.send(
                Self.effects(["do": "kv.put", "key": "b", "value": 2], ["do": "kv.delete", "key": "none"]))
            try await bench.send(#"{"type":"KILL"}"#)
            try await bench.ready()
            #expect(try await bench.ask(Self.call("kv.get", ["key": "a"])).object("value") == ["n": 1])
            #expect(try await bench.ask(Self.call("kv.get", ["key": "c"])).int("error") == nil)
            #expect(try await bench.ask(Self.call("kv.list", [:])).array("keys") == ["a", "b"])
            let full = try await bench.ask(
                Self.call("kv.put", ["key": "c", "value": .string(String(repeating: "x", count: 64))]))
            #expect(full.int("error") == -32004)
        }
    }

    @Test func effectsFollowTheVerdict() async throws {
        try await PluginBench.run { instance in
            instance.send = .sameSession
            instance.events = ["quiz.*"]
        } body: { bench in
            try await bench.ready()
            try await bench.send(
                Self.effects(
                    ["do": "reply_to_sender", "payload": ["n": 1]], ["do": "broadcast", "payload": ["n": 2]],
                    ["do": "send_to_receiver", "payload": "three"],
                    ["do": "emit", "event": "quiz.won", "data": ["by": "me"]],
                    ["do": "emit", "event": "other.won", "data": [:]],
                    ["do": "broadcast", "namespace": "urn:x-cast:test.other", "payload": [:]],
                    ["do": "log", "level": "warning", "message": "look"]))
            #expect(await bench.steps.next() == .toSenders(#"{"n":1}"#, destination: "sender-1"))
            #expect(await bench.steps.next() == .toSenders(#"{"n":2}"#, destination: .broadcast))
            #expect(await bench.steps.next() == .toReceiver("three"))
            #expect(await bench.steps.next() == .event(.custom(name: "quiz.won", data: ["by": "me"])))
            #expect(await bench.logged("look")?.level == .warning)
            #expect(await bench.service.status().counts.refused == 2)
        }
    }

    @Test func withoutAScopeEffectsReachTheSenderAlone() async throws {
        try await PluginBench.run { bench in
            try await bench.ready()
            try await bench.send(
                Self.effects(["do": "broadcast", "payload": ["n": 1]], ["do": "reply_to_sender", "payload": ["n": 2]]))
            #expect(await bench.steps.next() == .toSenders(#"{"n":2}"#, destination: "sender-1"))
        }
    }

    // MARK: Copies and events

    @Test func anObserverGetsCopiesAndNothingWaits() async throws {
        let observe = GrantedNamespace(PluginClaim(match: "*", phase: .observe))
        try await PluginBench.run(config: ["tell": true], namespaces: [observe]) { bench in
            try await bench.ready()
            try await bench.send("one")
            #expect(await bench.steps.next() == .forwarded("one"))
            #expect(await bench.logged("event message")?.metadata["payload"] == "one")
            bench.events.publish(.sessionEnded(device: "lobby", sessionID: "s-1", reason: "gone"))
            #expect(await bench.logged("event session.ended") != nil)
        }
    }

    @Test func anObserverThatDoesNotReadLosesTheOldestAndLearnsHowMany() async throws {
        let observe = GrantedNamespace(
            PluginClaim(match: PluginBench.namespace.rawValue, phase: .observe, directions: [.toSender]))
        try await PluginBench.run(config: ["tell": true], namespaces: [PluginBench.handle, observe]) { bench in
            try await bench.ready()
            let process = try #require(await bench.service.status().processID)
            kill(process, SIGSTOP)
            let big = String(repeating: "x", count: 4096)
            for number in 0..<2000 { try await bench.send(big, from: "app-\(number)", direction: .toSender) }
            // The socket's buffer, what is being written, and the queue hold some; the rest is lost.
            let counts = await bench.service.status().counts
            #expect(counts.dropped > 500)
            #expect(counts.dropped < 2000 - PluginWire.eventLimit)
            kill(process, SIGCONT)
            while true {
                let told = bench.log.entries.compactMap { $0.metadata["dropped"]?.description }
                if told.contains("\(counts.dropped)") || Task.isCancelled { break }
                await Task.yield()
            }
        }
    }

    // MARK: The log

    @Test func standardErrorGoesToTheLog() async throws {
        try await PluginBench.run { bench in
            try await bench.ready()
            let text = #"{\"level\":\"error\",\"msg\":\"lost\",\"code\":5}"#
            _ = try await bench.ask("{\"type\":\"NOISE\",\"lines\":1,\"text\":\"plain\"}")
            _ = try await bench.ask("{\"type\":\"NOISE\",\"lines\":1,\"text\":\"\(text)\"}")
            let plain = await bench.logged("plain")
            #expect(plain?.level == .info)
            #expect(plain?.label == "plugin.actor")
            #expect(plain?.metadata["stream"] == "stderr")
            let mapped = await bench.logged("lost")
            #expect(mapped?.level == .error)
            #expect(mapped?.metadata["code"] == .stringConvertible(5))
        }
    }

    @Test func theLastLinesComeWithTheCrash() async throws {
        try await PluginBench.run { bench in
            try await bench.ready()
            _ = try await bench.ask(#"{"type":"NOISE","lines":70,"text":"noise"}"#)
            try await bench.send(#"{"type":"CRASH"}"#)
            guard case .crashed(_, let lines) = await bench.change({ if case .crashed = $0 { true } else { false } })
            else { return }
            #expect(lines == Array(repeating: "noise", count: PluginLog.keptLines))
        }
    }

    /// Before `start` a plugin asks for nothing; while it starts it may, and is answered.
    @Test func whatAPluginAsksForWhileItStartsIsAnswered() async throws {
        try await PluginBench.run(config: ["mode": "ask"], { $0.storage = 1000 }) { bench in
            try await bench.ready()
            #expect(try await bench.ask(#"{"type":"ECHO","requestId":1}"#).int("requestId") == 1)
        }
    }
}
