import CastWire
import CastwayTestSupport
import Dispatch
import Foundation
import Logging
import NIOCore
import Synchronization
import Testing

@testable import MessageBridges

@Suite(.timeLimit(.minutes(2))) struct MQTTConnectionTests {
    @Test func messagesArriveInOrderWithAllTheySay() async throws {
        let broker = try await Broker()
        let peer = try await MQTTPeer(broker)
        try await peer.subscribe("castway/#")
        let bench = try ConnectionBench(port: broker.port)
        try await bench.run {
            try await bench.opened()
            let outcomes = Inbox<DeliveryOutcome>()
            for number in 0..<1000 {
                bench.carrier.carry(.sample(number, to: "castway/gw1/device/hall/msg/rx/a")) { outcomes.put($0) }
            }
            for _ in 0..<1000 { #expect(await outcomes.next() == .delivered) }
            for number in 0..<1000 {
                let message = try await peer.next(on: "castway/gw1/device/hall/msg/rx/a")
                #expect(message.object.int("number") == number)
                guard number == 0 else { continue }
                #expect(message.userID == "msg_0" && message.json.string("content_type") == "application/json")
                #expect(message.json.int("format") == 1 && message.json.int("qos") == 1 && !message.isRetained)
                #expect((3590...3600).contains(message.json.int("expiry") ?? 0))
            }
            #expect(await bench.carry(1, body: "plain") == .delivered)
            #expect(try await peer.next().json.string("content_type") == "text/plain")
        }
    }

    @Test func theConnectSaysWhatTheGatewayWants() async throws {
        let broker = try await ScriptedBroker()
        let bench = try ConnectionBench(port: broker.port)
        try await bench.run {
            // Flags: will retained with QoS 1, no clean start; session expiry 3600, receive maximum 64, packets of 80 KiB; will delay 10.
            let connect = try await broker.packet()
            #expect(connect.hasPrefix("10") && connect.contains("00044d5154540" + "52c001e"), "\(connect)")
            #expect(connect.contains("1100000e10") && connect.contains("210040") && connect.contains("2700014000"))
            #expect(connect.contains("180000000a"))
            broker.send("2003000000")
            try await bench.opened()
        }
    }

    /// What libmosquitto 2.0 does, and the reason that commands are at most once when a gateway is killed.
    @Test func aMessageIsAcknowledgedBeforeItIsHandedOver() async throws {
        let broker = try await ScriptedBroker()
        let isAcknowledged = DispatchSemaphore(value: 0)
        let bench = try ConnectionBench(port: broker.port, onMessage: { _ in isAcknowledged.wait() })
        try await bench.run {
            _ = try await broker.packet()
            broker.send("2003000000")
            try await bench.opened()
            broker.send("320a0003782f790007006869")
            // The callback does not return before this has come.
            #expect(try await broker.packet() == "40020007")
            isAcknowledged.signal()
            #expect(await bench.messages.next()?.topic == "x/y")
        }
    }

    @Test func aRefusedPublicationIsToldWithItsReason() async throws {
        let broker = try await ScriptedBroker()
        let bench = try ConnectionBench(port: broker.port)
        try await bench.run {
            _ = try await broker.packet()
            broker.send("2003000000")
            try await bench.opened()
            async let first = bench.carry(1)
            _ = try await broker.packet()
            broker.send("4004000187" + "00")
            #expect(await first == .refused("the broker refuses it: not authorized (reason code 135)"))
            async let second = bench.carry(2)
            _ = try await broker.packet()
            // There are no subscribers: that is a success (3.4.2.1 of MQTT 5).
            broker.send("4004000210" + "00")
            #expect(await second == .delivered)
            // A broker whose quota is used up takes no other message either.
            async let third = bench.carry(3)
            _ = try await broker.packet()
            broker.send("4004000397" + "00")
            #expect(await third == .unavailable("the broker takes no more: quota exceeded (reason code 151)"))
        }
    }

    @Test func aConnectionIsNotUsedBeforeTheOutboxGoesOn() async throws {
        let broker = try await Broker()
        let bench = try ConnectionBench(port: broker.port)
        let resumed = Inbox<Void>()
        bench.carrier.begin { resumed.put(()) }
        #expect(await bench.carry(1) == .unavailable("there is no connection with the broker"))
        try await bench.run {
            try await bench.opened()
            _ = await resumed.next()
            // The outbox hands over the second of those that it has under way, and has not heard yet that the first has come back.
            #expect(await bench.carry(2) == .unavailable("there is no connection with the broker"))
            // It has taken what came back before it says this.
            bench.carrier.resumed()
            #expect(await bench.carry(1) == .delivered)
        }
    }

    @Test func aBrokerThatIsKilledGivesBackEverythingAndIsComeBackTo() async throws {
        let broker = try await Broker()
        let bench = try ConnectionBench(port: broker.port)
        try await bench.run {
            try await bench.opened()
            let resumed = Inbox<Void>()
            bench.carrier.begin { resumed.put(()) }
            _ = await resumed.next()
            bench.carrier.resumed()
            broker.freeze()
            let outcomes = Inbox<(Int, DeliveryOutcome)>()
            for number in 0..<300 {
                bench.carrier.carry(.sample(number, to: "castway/gw1/x")) { outcomes.put((number, $0)) }
            }
            broker.kill()
            // In any order: the outbox puts them at their places.
            var back: Set<Int> = []
            for _ in 0..<300 {
                let (which, outcome) = try #require(await outcomes.next { $0 })
                back.insert(which)
                guard case .unavailable = outcome else {
                    Issue.record("\(which) is \(outcome)")
                    continue
                }
            }
            #expect(back == Set(0..<300))
            guard case .unavailable = await bench.carry(1) else {
                Issue.record("something is carried without a connection")
                return
            }
            try await broker.restart()
            _ = await resumed.next()
            bench.carrier.resumed()
            #expect(await bench.carry(2) == .delivered)
        }
    }

    @Test func aWrongPasswordIsNotTriedAgainAndAgain() async throws {
        let broker = try await Broker(
            "allow_anonymous false\npassword_file FOLDER/users",
            files: ["users": try Self.users(name: "castway", password: "right")])
        let bench = try ConnectionBench(port: broker.port) {
            $0.client.username = "castway"
            $0.client.password = "wrong"
        }
        try await bench.run {
            let reason = try await bench.closed()
            #expect([134, 135].contains { reason == .code($0) }, "\(reason)")
            #expect(reason.isLasting)
            let line = try #require(bench.log.entries(atLeast: .warning).first)
            let pause = try #require(line.metadata["retry_after_ms"].flatMap { Int("\($0)") })
            #expect(pause >= 60_000)
        }
        let right = try ConnectionBench(port: broker.port) {
            $0.client.username = "castway"
            $0.client.password = "right"
        }
        try await right.run { try await right.opened() }
    }

    private static func users(name: String, password: String) throws -> String {
        let folder = try TemporaryFolder()
        let file = try folder.write("", to: "users")
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/mosquitto_passwd")
        process.arguments = ["-b", file, name, password]
        try process.run()
        process.waitUntilExit()
        return try folder.read("users")
    }

    @Test func aBrokersLimitsAreKept() async throws {
        let broker = try await Broker("allow_anonymous true\nmax_packet_size 2000\nmax_inflight_messages 3")
        let bench = try ConnectionBench(port: broker.port)
        try await bench.run {
            let terms = try await bench.opened()
            #expect(terms.maximumPacketSize == 2000 && terms.receiveMaximum == 3)
            let outcome = await bench.carry(1, body: String(repeating: "a", count: 2000))
            guard case .refused = outcome else {
                Issue.record("\(outcome)")
                return
            }
            let outcomes = Inbox<DeliveryOutcome>()
            for number in 0..<200 { bench.carrier.carry(.sample(number, to: "castway/gw1/x")) { outcomes.put($0) } }
            for _ in 0..<200 { #expect(await outcomes.next() == .delivered) }
        }
    }

    @Test func aBrokerWithoutAcknowledgementsDeliversNothing() async throws {
        let broker = try await Broker("allow_anonymous true\nmax_qos 0\nretain_available false")
        let bench = try ConnectionBench(port: broker.port) {
            $0.client.willQoS = 0
            $0.client.retainsWill = false
        }
        try await bench.run {
            let terms = try await bench.opened()
            #expect(terms.maximumQoS == 0 && !terms.retains)
            #expect(await bench.carry(1) == .refused("the broker acknowledges nothing (maximum QoS 0)"))
        }
    }

    @Test func aCleanStopSaysThatTheGatewayIsOffline() async throws {
        let broker = try await Broker()
        let peer = try await MQTTPeer(broker)
        try await peer.subscribe("castway/gw1/bridge/state")
        let bench = try ConnectionBench(port: broker.port)
        bench.connection.retain([("castway/gw1/bridge/state", ByteBuffer(string: "online"))])
        try await bench.run {
            try await bench.opened()
            #expect(try await peer.next().text == "online")
        }
        #expect(try await peer.next().text == "offline")
        let late = try await MQTTPeer(broker)
        try await late.subscribe("castway/gw1/bridge/state")
        let kept = try await late.next()
        #expect(kept.text == "offline" && kept.isRetained)
    }

    @Test func tlsNeedsACertificateThatIsTrusted() async throws {
        let folder = try TemporaryFolder()
        for command in [
            "req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.crt -days 2 -subj /CN=ca",
            "req -newkey rsa:2048 -nodes -keyout b.key -out b.csr -subj /CN=localhost",
            "x509 -req -in b.csr -CA ca.crt -CAkey ca.key -CAcreateserial -out b.crt -days 2 -extfile san",
        ] {
            try folder.write("subjectAltName=DNS:localhost", to: "san")
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/openssl")
            process.arguments = command.split(separator: " ").map(String.init)
            process.currentDirectoryURL = URL(filePath: folder.path)
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            try #require(process.terminationStatus == 0)
        }
        let broker = try await Broker(
            "allow_anonymous true\ncertfile FOLDER/b.crt\nkeyfile FOLDER/b.key",
            files: ["b.crt": try folder.read("b.crt"), "b.key": try folder.read("b.key")])
        func bench(_ host: String, authority: String?) throws -> ConnectionBench {
            let address = try #require(MQTTAddress("mqtts://\(host):\(broker.port)"))
            return try ConnectionBench(port: broker.port) {
                $0.client.address = address
                $0.client.certificateAuthorityFile = authority
            }
        }
        let trusted = try bench("localhost", authority: folder.file("ca.crt"))
        try await trusted.run {
            try await trusted.opened()
            let outcomes = Inbox<DeliveryOutcome>()
            for number in 0..<500 { trusted.carrier.carry(.sample(number, to: "castway/gw1/x")) { outcomes.put($0) } }
            for _ in 0..<500 { #expect(await outcomes.next() == .delivered) }
        }
        for other in [try bench("localhost", authority: nil), try bench("127.0.0.1", authority: folder.file("ca.crt"))]
        {
            try await other.run {
                let reason = try await other.closed()
                #expect(reason.isLasting, "\(reason)")
            }
        }
    }

    /// libmosquitto 2.0.11 would abort the process at the first three.
    @Test(arguments: [
        "300600016102" + "7f00", "30050001617f01", "40060001870" + "27f00", "300500026100" + "00", "30ffffffff01",
        "f0021800",
    ]) func aMalformedPacketEndsTheConnectionAlone(_ packet: String) async throws {
        let broker = try await ScriptedBroker()
        let bench = try ConnectionBench(port: broker.port)
        try await bench.run {
            _ = try await broker.packet()
            broker.send("2003000000")
            try await bench.opened()
            // What came before it is not lost.
            broker.send("30060003782f7900" + packet)
            #expect(await bench.messages.next()?.topic == "x/y")
            guard case .malformed = try await bench.closed() else {
                Issue.record("closed for another reason")
                return
            }
            let line = try #require(bench.log.entries(atLeast: .warning).first)
            #expect("\(line.metadata["reason"] ?? "")".hasPrefix("the broker sent a malformed packet: "))
            // The gateway comes back by itself.
            #expect(try await broker.packet().hasPrefix("10"))
            broker.send("2003000000")
            try await bench.opened()
        }
    }

    @Test func aBrokerThatIsNotThereIsToldAsSuch() async throws {
        let bench = try ConnectionBench(port: try FreePort.next())
        try await bench.run {
            let reason = try await bench.closed()
            #expect(reason.description == "connection refused")
        }
    }

    @Test func aSilentBrokerIsNoticed() async throws {
        let broker = try await ScriptedBroker()
        let bench = try ConnectionBench(port: broker.port) { $0.times.attempt = .milliseconds(200) }
        try await bench.run {
            #expect(try await bench.closed() == .timeout("the broker does not answer"))
            try await broker.closed()
        }
    }

    @Test func messagesHaveBounds() async throws {
        let broker = try await Broker()
        let peer = try await MQTTPeer(broker)
        let bench = try ConnectionBench(port: broker.port, filters: ["castway/gw1/rpc/+"]) { $0.rate = 10 }
        try await bench.run {
            try await bench.opened()
            try await peer.publish("castway/gw1/rpc/a", "", ["size": 65537])
            #expect(try #require(await bench.messages.next()).payload == nil)
            try await peer.publish(
                "castway/gw1/rpc/a", "", ["size": 65536, "correlation": "00ff", "response": "r", "id": "x"])
            let message = try #require(await bench.messages.next())
            #expect(message.payload?.readableBytes == 65536 && message.id == "x" && message.responseTopic == "r")
            #expect(message.correlation == ByteBuffer(bytes: [0, 255]))
            try await peer.publish("castway/gw1/rpc/a", "", ["count": 300])
            try await peer.publish("castway/gw1/rpc/a", "", ["qos": 1])
            #expect(bench.log.entries.contains { $0.message.hasPrefix("Commands come faster") })
        }
    }
}
