import CastWire
import CastwayTestSupport
import GatewayCore
import Testing

@testable import VirtualDevices

/// What senders say of themselves, and what is kept of it.
@Suite(.timeLimit(.minutes(1))) struct SenderFactsTests {
    private static let info: JSONObject = [
        "sdkType": 2, "version": "156.0.0.0", "platform": 1, "systemVersion": "15", "connectionType": 1,
        "model": "Pixel 9", "launchUrl": "https://example.com/app",
    ]

    private static func connect(
        _ source: EndpointID = "sender-0", to local: EndpointID = .platformReceiver, userAgent: String? = nil,
        _ info: JSONObject = Self.info
    ) -> CastMessage {
        CastMessage(
            source: source, destination: local, namespace: .connection,
            payload: ConnectionPayload.connect(userAgent: userAgent, senderInfo: SenderInfo(json: info)).payload)
    }

    /// The events that senders lead to.
    private func events(of body: (DeviceBench) throws -> Void) async throws -> [GatewayEvent] {
        let subscription = try self.run(body)
        var events: [GatewayEvent] = []
        for await event in subscription.events {
            if event.name == "end" { break }
            if event.name == "sender.introduced" || event.name.hasPrefix("receiver.") { events.append(event) }
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

    @Test func whatASenderSaysIsToldOnce() async throws {
        let events = try await self.events { bench in
            _ = try bench.connect(
                .connect("silent"), Self.connect(userAgent: "Mozilla/5.0"),
                Self.connect("sender-1", userAgent: "Other/1"))
        }
        guard case .senderIntroduced(let device, let connection, let address, let facts) = events.first else {
            Issue.record("\(events)")
            return
        }
        #expect(events.count == 1 && device == "test" && address == "192.0.2.7")
        #expect(connection == ConnectionID(rawValue: 1))
        #expect(
            facts.json == [
                "name": "Pixel 9", "user_agent": "Mozilla/5.0", "platform": "android", "system_version": "15", "sdk": 2,
                "sdk_version": "156.0.0.0", "connection_type": 1, "launch_url": "https://example.com/app",
            ])
    }

    @Test func aRefusedConnectionSaysNothing() async throws {
        let events = try await self.events { bench in _ = try bench.connect(Self.connect(to: "nowhere")) }
        #expect(events == [])
    }

    @Test func whatIsKeptIsBounded() throws {
        let long = JSONValue.string(String(repeating: "x", count: 5000))
        let connect = ConnectionPayload.connect(
            userAgent: String(repeating: "y", count: 5000),
            senderInfo: SenderInfo(json: [
                "model": long, "systemVersion": long, "version": long, "launchUrl": long, "platform": 99,
                "sdkType": "x",
            ]))
        let facts = SenderFacts([connect])
        #expect(facts.model?.count == 128 && facts.userAgent?.count == 128)
        #expect(facts.systemVersion?.count == 128 && facts.sdkVersion?.count == 128)
        #expect(facts.launchURL == nil && facts.platform == nil && facts.sdk == nil)
        #expect(SenderFacts([ConnectionPayload.connect()]).isEmpty)
    }

    @Test func theSnapshotHasThem() throws {
        let bench = try DeviceBench()
        bench.target.sessions = [
            SessionFacts(appID: "ABCD1234", sessionID: "s-1", transportID: "web-1", displayName: "Quiz", namespaces: [])
        ]
        _ = try bench.connect(Self.connect(userAgent: "A/1"), .connect("sender-0", to: "web-1"))
        _ = try bench.connect(.connect("sender-0"))
        let senders = bench.device.snapshot.device.connected
        #expect(senders.map(\.facts.userAgent) == ["A/1", nil])
        #expect(senders.map(\.sessions) == [["s-1"], []])
    }

    // MARK: What changes at the device

    private static func status(_ status: JSONObject) -> CastMessage {
        CastMessage(
            source: .platformReceiver, destination: "*", namespace: .receiver,
            json: ["type": "RECEIVER_STATUS", "requestId": 0, "status": .object(status)])
    }

    @Test func changesOfVolumeAndScreenAreTold() async throws {
        let statuses: [JSONObject] = [
            ["volume": ["level": 0.5, "muted": false], "isStandBy": false, "isActiveInput": true],
            ["volume": ["level": 0.5, "muted": false], "isStandBy": false, "isActiveInput": true],
            ["volume": ["level": 0.75, "muted": false], "isStandBy": false, "isActiveInput": true],
            ["volume": ["level": 0.75, "muted": true], "isStandBy": true, "isActiveInput": false],
            ["volume": ["level": 0.75, "muted": true], "isStandBy": false, "isActiveInput": true],
        ]
        let events = try await self.events { bench in
            for status in statuses { bench.device.broadcast(Self.status(status)) }
        }
        let changes = events.compactMap { event -> ReceiverChange? in
            if case .receiverChanged("test", let change) = event { change } else { nil }
        }
        #expect(
            changes == [
                .volume(level: 0.75, muted: false), .volume(level: 0.75, muted: true), .standby(true),
                .visibility(false), .standby(false), .visibility(true),
            ])
    }
}
