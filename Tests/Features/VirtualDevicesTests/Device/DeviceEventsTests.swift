import CastWire
import CastwayTestSupport
import GatewayCore
import Testing

@testable import VirtualDevices

@Suite(.timeLimit(.minutes(1))) struct DeviceEventsTests {
    /// Does something with a device, all on one thread, and gives the events that it led to.
    private func events(of body: (DeviceBench) throws -> Void) async throws -> [GatewayEvent] {
        let subscription = try self.run(body)
        var events: [GatewayEvent] = []
        for await event in subscription.events {
            if event.name == "end" { break }
            events.append(event)
        }
        return events
    }

    private func run(_ body: (DeviceBench) throws -> Void) throws -> EventSubscription {
        let bench = try DeviceBench()
        let subscription = bench.bus.subscribe()
        try body(bench)
        bench.bus.publish(.custom(name: "end", data: .null))
        return subscription
    }

    @Test func sendersComeAndGo() async throws {
        let events = try await self.events { try $0.connect().hangUp() }
        let id = ConnectionID(rawValue: 1)
        #expect(
            events == [
                .senderConnected(device: "test", connection: id, address: "192.0.2.7"),
                .senderDisconnected(
                    device: "test", connection: id, reason: "closed by the sender", closeReason: .transportClosed),
            ])
    }

    @Test func statusesAreReadOnce() async throws {
        let receiver = CastMessage(
            source: .platformReceiver, destination: "*", namespace: .receiver,
            json: ["type": "RECEIVER_STATUS", "requestId": 0, "status": ["volume": ["level": 0.5]]])
        let media = CastMessage(
            source: "web-1", destination: "*", namespace: .media,
            json: [
                "type": "MEDIA_STATUS", "requestId": 0,
                "status": [["mediaSessionId": 1], ["mediaSessionId": 2], 3],
            ])
        let custom = CastMessage(
            source: "web-1", destination: "*", namespace: "urn:x-cast:com.example.quiz", json: ["a": 1])
        let events = try await self.events { bench in
            for message in [receiver, media, custom] { bench.device.broadcast(message) }
        }
        #expect(
            events == [
                .receiverStatus(device: "test", status: ["volume": ["level": 0.5]]),
                .mediaStatus(device: "test", transportID: "web-1", status: ["mediaSessionId": 1]),
                .mediaStatus(device: "test", transportID: "web-1", status: ["mediaSessionId": 2]),
                .channelMessage(device: "test", message: custom, direction: .toSender),
            ])
    }

    @Test func otherTypesAreNoStatus() async throws {
        let events = try await self.events { bench in
            bench.device.broadcast(.request("QUEUE_CHANGE", id: 0, from: "web-1", to: "*", in: .media))
            bench.device.broadcast(.request("LAUNCH_STATUS", id: 0, from: .platformReceiver, to: "*"))
            bench.device.broadcast(.request("DEVICE_ADDED", id: 0, from: .platformReceiver, to: "*", in: .multizone))
        }
        #expect(events == [])
    }

    @Test func whatTheTargetTellsIsPublished() async throws {
        let event = GatewayEvent.sessionEnded(device: "test", sessionID: "s", reason: "ended")
        let events = try await self.events { $0.target.output?.emit(event) }
        #expect(events == [event])
    }
}
