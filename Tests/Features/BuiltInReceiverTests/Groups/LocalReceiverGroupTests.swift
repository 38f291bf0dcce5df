import CastWire
import GatewayCore
import NIOCore
import NIOEmbedded
import Testing

@testable import BuiltInReceiver

/// Built-in receivers that know of one another, as the gateway has them.
@Suite struct LocalReceiverGroupTests {
    private struct Description: DeviceDescription {
        let name: String

        func deviceInformation(requestID: RequestID) -> JSONObject {
            [
                "deviceId": .string(self.name), "friendlyName": .string("The \(self.name)"), "deviceCapabilities": 4,
            ]
        }

        func setupInformation(params: [String]?) -> JSONObject { [:] }
    }

    /// What a receiver sends.
    private final class Output: SenderOutput {
        private(set) var messages: [CastMessage] = []

        func send(_ message: CastMessage, to connection: ConnectionID) { self.messages.append(message) }
        func broadcast(_ message: CastMessage) { self.messages.append(message) }
        func closeVirtualConnections(of transport: EndpointID) {}
        func closeVirtualConnection(_ connection: VirtualConnection, on channel: ConnectionID, message: CastMessage) {}
        func close(_ connection: ConnectionID, reason: String) {}
        func emit(_ event: GatewayEvent) {}
        func flush() {}

        /// The messages of a type, which are forgotten then.
        func take(_ type: String) -> [JSONObject] {
            defer { self.messages.removeAll() }
            return self.messages.compactMap(\.payload.jsonObject).filter { $0.string("type") == type }
        }
    }

    /// A receiver with its output, on one event loop with the others.
    private final class Device {
        let receiver: LocalReceiver
        let output = Output()
        let facts: DeviceFacts

        init(
            _ name: String, members: [String]? = nil, level: Double = 0.5, _ groups: SpeakerGroups,
            _ loop: EmbeddedEventLoop
        ) {
            self.facts = DeviceFacts(name: name, target: nil, description: Description(name: name))
            self.receiver = LocalReceiver(
                configuration: Self.configuration(members, level), device: self.facts, eventLoop: loop, groups: groups)
            self.receiver.start(output: self.output)
        }

        static func configuration(_ members: [String]?, _ level: Double = 0.5) -> ReceiverConfiguration {
            ReceiverConfiguration {
                $0.apps = [
                    VirtualAppConfiguration(id: "CC1AD845") {
                        $0.player = .simulated
                        $0.options.launchDelay = .zero
                    }
                ]
                $0.volume.level = level
                $0.group = members.map { SpeakerGroupConfiguration(members: $0) }
            }
        }

        func send(_ json: JSONObject, in namespace: Namespace = .receiver) {
            self.receiver.receive(
                CastMessage(source: "sender-0", destination: .platformReceiver, namespace: namespace, json: json),
                from: ConnectionID(rawValue: 1))
        }

        var level: Float { self.receiver.platform.volume.level }
        var app: String? { self.receiver.platform.currentSession?.appID.rawValue }
        var members: [String] { self.receiver.platform.speakers.devices.map(\.deviceID) }
    }

    private static func near(_ level: Float, _ wanted: Float) -> Bool { abs(level - wanted) < 0.001 }

    @Test func aGroupAndItsMembersFollowOneAnother() {
        let loop = EmbeddedEventLoop()
        let groups = SpeakerGroups()
        // The order in which devices come does not matter.
        let house = Device("house", members: ["kitchen", "hall"], groups, loop)
        let kitchen = Device("kitchen", level: 0.2, groups, loop)
        let hall = Device("hall", level: 0.6, groups, loop)
        loop.run()
        #expect(house.members == ["kitchen", "hall"])
        #expect(Self.near(house.level, 0.4))

        house.send(["type": "SET_VOLUME", "requestId": 1, "volume": ["level": 0.2]])
        loop.run()
        #expect(Self.near(kitchen.level, 0.1) && Self.near(hall.level, 0.3) && Self.near(house.level, 0.2))
        let updates = house.output.take("DEVICE_UPDATED")
        #expect(updates.count == 2)
        let told = kitchen.output.take("RECEIVER_STATUS")
        #expect(told.count == 1)
        kitchen.send(["type": "SET_VOLUME", "requestId": 2, "volume": ["level": 0.5]])
        loop.run()
        #expect(Self.near(house.level, 0.4) && Self.near(hall.level, 0.3))

        house.send(ReceiverRequest.launch("CC1AD845", requestID: 3).json)
        loop.run()
        #expect(house.app == "CC1AD845")
        #expect(kitchen.app == "705D30C6" && hall.app == "705D30C6")
        #expect(kitchen.members == ["kitchen", "hall"])
        house.send(["type": "STOP", "requestId": 4])
        loop.run()
        #expect(kitchen.app == nil && hall.app == nil)
        for device in [house, kitchen, hall] { device.receiver.stop() }
        #expect(groups.members(of: "house") == nil)
    }

    @Test func membersChangeWhileTheGroupPlays() throws {
        let loop = EmbeddedEventLoop()
        let groups = SpeakerGroups()
        let house = Device("house", members: ["kitchen"], groups, loop)
        let kitchen = Device("kitchen", groups, loop)
        let attic = Device("attic", groups, loop)
        house.send(ReceiverRequest.launch("CC1AD845", requestID: 1).json)
        loop.run()
        #expect(kitchen.app == "705D30C6" && attic.app == nil)
        _ = house.output.take("")

        let members = try groups.change("house", adding: ["attic"], removing: ["kitchen"])
        #expect(members.map(\.device) == ["attic"])
        loop.run()
        #expect(kitchen.app == nil && attic.app == "705D30C6")
        let removed = house.output.take("DEVICE_REMOVED")
        #expect(removed.map { $0.string("deviceId") } == ["kitchen"])

        // The file says something else.
        house.receiver.reconfigure(Device.configuration(["kitchen", "attic"]), device: house.facts)
        loop.run()
        #expect(house.members == ["kitchen", "attic"])
        #expect(kitchen.app == "705D30C6")
        // A member that ends is seen no more, and a group that ends has no members.
        attic.receiver.stop()
        loop.run()
        #expect(house.members == ["kitchen"])
        house.receiver.stop()
        loop.run()
        #expect(kitchen.app == nil)
        kitchen.receiver.stop()
    }
}
