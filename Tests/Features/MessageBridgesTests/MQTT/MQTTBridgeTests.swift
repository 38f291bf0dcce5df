import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayCore
import GatewayJournal
import GatewayOperations
import Logging
import NIOCore
import Synchronization
import Testing

@testable import MessageBridges

@Suite(.timeLimit(.minutes(2))) struct MQTTBridgeTests {
    @Test func devicesAreKeptAtTheBroker() async throws {
        let broker = try await Broker()
        let bench = try BridgeBench(broker)
        let peer = try await MQTTPeer(broker)
        try await peer.subscribe("castway/gw1/#")
        try await bench.run {
            let info = try await peer.next(on: "castway/gw1/bridge/info")
            #expect(try await peer.next(on: "castway/gw1/bridge/state").text == "online")
            #expect(info.object.string("version") == "1.2.3" && info.object.string("name") == "Castway")
            bench.events.publish(.virtualDeviceAdded(device: "hall/1"))
            bench.events.publish(.receiverStatus(device: "hall/1", status: BridgeBench.receiverStatus(level: 0.5)))
            let state = try await peer.next {
                $0.topic == "castway/gw1/device/hall%2F1/state" && $0.object["volume"] != nil
            }
            #expect(state.object.double("volume") == 0.5 && state.object.object("app")?.string("id") == "CC1AD845")
            #expect(state.json.string("content_type") == "application/json" && state.json["expiry"] == nil)
            bench.events.publish(
                .mediaStatus(
                    device: "hall/1", transportID: "web-1",
                    status: [
                        "mediaSessionId": 1, "playerState": "PLAYING", "currentTime": 12, "playbackRate": 1,
                        "media": ["contentId": "a.mp4", "duration": 60, "metadata": ["title": "A film"]],
                    ]))
            let media = try await peer.next { $0.topic.hasSuffix("/media") && $0.object.string("state") == "playing" }
            #expect(media.object.string("title") == "A film" && media.object.double("position") == 12)
            #expect(media.object.string("position_at") != nil && media.object.double("rate") == 1)
        }
        #expect(try await peer.next(on: "castway/gw1/bridge/state").text == "offline")
        let late = try await MQTTPeer(broker)
        try await late.subscribe("castway/gw1/device/+/availability")
        let kept = try await late.next()
        #expect(kept.text == "online" && kept.isRetained)
    }

    @Test func whatIsGoneIsCleared() async throws {
        let broker = try await Broker()
        let peer = try await MQTTPeer(broker)
        // What an earlier run left.
        try await peer.publish("castway/gw1/device/old/availability", "online", ["retain": true])
        try await peer.publish("castway/gw1/device/old/state", "{}", ["retain": true])
        let bench = try BridgeBench(broker)
        bench.events.publish(.virtualDeviceAdded(device: "hall"))
        try await bench.run {
            try await peer.subscribe("castway/gw1/device/+/state")
            while try await peer.next().topic != "castway/gw1/device/hall/state" {}
            bench.events.publish(.virtualDeviceRemoved(device: "hall"))
            #expect(try await peer.next { $0.topic == "castway/gw1/device/hall/state" }.text.isEmpty)
        }
        let late = try await MQTTPeer(broker)
        try await late.subscribe("castway/gw1/#")
        try await late.publish("castway/gw1/mark", "mark")
        var topics: Set<String> = []
        while true {
            let message = try await late.next()
            if message.topic.hasSuffix("/mark") { break }
            topics.insert(message.topic)
        }
        #expect(topics == ["castway/gw1/bridge/state", "castway/gw1/bridge/info"])
    }

    @Test func aThousandDevicesAreThereSoonAfterTheBrokerIs() async throws {
        let broker = try await Broker("allow_anonymous true\nmax_queued_messages 0")
        let bench = try BridgeBench(broker, times: { $0.firstWait = .milliseconds(50) })
        for number in 0..<1000 {
            bench.events.publish(.virtualDeviceAdded(device: "d\(number)"))
            bench.events.publish(.receiverStatus(device: "d\(number)", status: BridgeBench.receiverStatus(level: 0.5)))
        }
        try await bench.run {
            for round in 0..<2 {
                if round == 1 {
                    broker.kill()
                    try await broker.restart()
                }
                let peer = try await MQTTPeer(broker)
                try await peer.subscribe("castway/gw1/#")
                let start = ContinuousClock.now
                // Without persistence at the kill the broker has nothing, or what it saved; live publications count.
                var seen: Set<String> = []
                while seen.count < 4000 {
                    let message = try await peer.next()
                    if message.topic.contains("/device/") { seen.insert(message.topic) }
                }
                let time = ContinuousClock.now - start
                print("1000 devices, round \(round): \(time)")
                #expect(time < .seconds(5 * BridgeBench.slowness))
            }
        }
    }

    @Test func devicesOfThePatternsOnlyArePublished() async throws {
        let broker = try await Broker()
        let bench = try BridgeBench(broker, configuration: { $0.devices = ["room-*"] })
        let peer = try await MQTTPeer(broker)
        try await peer.subscribe("castway/gw1/device/+/availability")
        bench.events.publish(.virtualDeviceAdded(device: "hall"))
        bench.events.publish(.virtualDeviceAdded(device: "room-1"))
        try await bench.run {
            let topic = try await peer.next().topic
            #expect(topic == "castway/gw1/device/room-1/availability")
        }
    }

    @Test func anotherConfigurationTakesThePlace() async throws {
        let (first, second) = (try await Broker(), try await Broker())
        let bench = try BridgeBench(first)
        let (old, new) = (try await MQTTPeer(first), try await MQTTPeer(second))
        for peer in [old, new] { try await peer.subscribe("+/gw1/bridge/state") }
        try await bench.run {
            #expect(try await old.next().text == "online")
            bench.bridge.replace(MQTTConfiguration(url: "mqtt://127.0.0.1:\(second.port)") { $0.prefix = "other" })
            #expect(try await old.next().text == "offline")
            let message = try await new.next()
            #expect(message.text == "online" && message.topic == "other/gw1/bridge/state")
            bench.bridge.replace(nil)
            #expect(try await new.next().text == "offline")
        }
    }

    @Test func homeAssistantIsToldAgainWhenItStarts() async throws {
        let broker = try await Broker()
        let slept = Inbox<Duration>()
        let bench = try BridgeBench(
            broker, configuration: { $0.homeAssistant.discovery = true }, sleep: { slept.put($0) })
        bench.events.publish(.virtualDeviceAdded(device: "hall"))
        let peer = try await MQTTPeer(broker)
        try await peer.subscribe("homeassistant/device/+/config")
        try await bench.run {
            #expect(try await peer.next().topic == "homeassistant/device/castway_gw1/config")
            let config = try await peer.next()
            #expect(config.topic == "homeassistant/device/castway_gw1_hall/config")
            #expect(config.object.object("device")?.string("via_device") == "castway_gw1")
            try await peer.publish("homeassistant/status", "offline")
            try await peer.publish("homeassistant/status", "online")
            #expect(try #require(await slept.next()) <= .seconds(5))
            #expect(try await peer.next().topic == "homeassistant/device/castway_gw1/config")
            #expect(try await peer.next().object == config.object)
            bench.events.publish(.virtualDeviceRemoved(device: "hall"))
            #expect(try await peer.next().text.isEmpty)
        }
    }
}
