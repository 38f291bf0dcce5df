import CastWire
import GatewayCore
import GatewayOperations
import NIOCore
import Testing

@testable import GatewayJournal

/// What is a resource, who sees it, and when it ends.
@Suite(.timeLimit(.minutes(1))) struct ResourceEndTests {
    private let bench = JournalBench()

    private static func device(_ friendlyName: String, id: String = "a1", static name: String? = nil) -> JSONObject {
        var device: JSONObject = [
            "uniqueId": .string("cast:\(id)"), "deviceId": .string(id), "friendlyName": .string(friendlyName),
        ]
        if let name { device["staticName"] = .string(name) }
        return device
    }

    private func snapshot(for caller: Caller = .admin) throws -> [String] {
        try self.bench.reader(for: caller).take().filter { $0.hasPrefix("snapshot") }
    }

    // MARK: Devices of the list

    @Test func aDeviceThatCallsItselfOtherwiseIsTheSame() throws {
        self.bench.publish(.deviceInserted(device: Self.device("Hall"), index: 0))
        for number in 1...20 {
            self.bench.publish(.deviceUpdated(device: Self.device("Hall \(number)"), index: 0, newIndex: 0))
        }
        #expect(try self.snapshot() == ["snapshot device.updated 21"])
        self.bench.publish(.deviceRemoved(device: Self.device("Hall"), index: 0))
        #expect(try self.snapshot().isEmpty)
    }

    @Test func whoSeesADeviceDoesNotHangOnWhatItSaysOfItself() throws {
        func guest(_ pattern: String) -> Caller {
            Caller(name: "guest", scopes: [.read], devices: [DevicePattern(pattern)])
        }
        self.bench.publish(
            .deviceInserted(device: Self.device("room-1"), index: 0),
            .deviceInserted(device: Self.device("Lounge", id: "b2", static: "room-2"), index: 1))
        #expect(try self.snapshot(for: guest("room-1*")).isEmpty)
        #expect(try self.snapshot(for: guest("a1")) == ["snapshot device.inserted 1"])
        #expect(try self.snapshot(for: guest("room-2")) == ["snapshot device.inserted 2"])
        #expect(try self.snapshot(for: guest("Lounge")).isEmpty)
    }

    // MARK: Sessions

    private static let session = CastSessionFacts(number: 3, device: "wall", appID: "CC1AD845", state: .connected)

    private func playSession() {
        self.bench.publish(
            .castSession(Self.session, .didStart), .castMedia(Self.session, .status(["mediaSessionId": 1])),
            .castMedia(Self.session, .queue(itemIDs: [1, 2])),
            .castSession(Self.session, .volume(level: 1, muted: nil)),
            .castSession(Self.session, .members([])))
    }

    @Test func whatBelongsToASessionEndsByEventsOfItsOwn() throws {
        self.playSession()
        let everything = try self.bench.reader()
        let reader = try self.bench.reader(EventTopics([.init(type: DevicePattern("media.*"))]))
        _ = (everything.take(), reader.take())
        self.bench.publish(.castSession(Self.session, .didEnd(nil)))
        let frames = reader.frames()
        let ended = frames.map { BenchReader.json($0).object("data")?.members.map(\.name) ?? [] }
        #expect(ended == [["session", "via"], ["session", "via"]])
        let told = everything.frames().map(BenchReader.json)
        #expect(
            told.map { $0.string("type") } == [
                "media.session_status", "media.queue", "session.volume", "session.members", "session.did_end",
            ])
        for json in told {
            let declaration = try #require(EventCatalogue.named[json.string("type") ?? ""])
            #expect(declaration.faults(of: json.object("data") ?? [:]).isEmpty)
        }
        #expect(try self.snapshot().isEmpty)
        // What ended already, or never was, is not told.
        self.bench.publish(.castSession(Self.session, .didStart), .castSession(Self.session, .didEnd(nil)))
        #expect(everything.take() == ["session.did_start 11", "session.did_end 12"])
    }

    @Test func whatIsNotKnownIsNoValue() throws {
        self.playSession()
        self.bench.publish(
            .castMedia(Self.session, .status(nil)), .castMedia(Self.session, .queue(itemIDs: nil)),
            .castSession(Self.session, .volume(level: nil, muted: nil)))
        #expect(try self.snapshot() == ["snapshot session.did_start 1", "snapshot session.members 5"])
    }

    @Test(arguments: ["*", "media.*", "media.session_status", "session.did_start"])
    func aSlowReaderPaysForWhatItHoldsAlone(type: String) throws {
        let bench = JournalBench { $0.clientBudget = 256 << 10 }
        let reader = try bench.reader(EventTopics([.init(type: DevicePattern(type))]))
        _ = reader.take()
        let text = String(repeating: "x", count: 2048)
        for number in 1...40 {
            var session = CastSessionFacts(number: number, device: "wall", appID: "CC1AD845", state: .connected)
            session.app = ReceiverApplication(
                appID: "CC1AD845", displayName: text, sessionID: "s", transportID: "t", namespaces: [])
            bench.publish(
                .castSession(session, .didStart),
                .castMedia(session, .status(["mediaSessionId": 1, "customData": .string(text)])))
            session.app = nil
            bench.publish(.castSession(session, .didEnd(nil)))
        }
        #expect(reader.feed.end == nil)
        let held = reader.feed.heldBytes
        #expect(bench.journal.withStore { $0.view.latest.isEmpty })
        #expect(reader.frames().reduce(0) { $0 + $1.bytes.readableBytes } <= held)
    }

    // MARK: Channels and plugins

    @Test func aChannelEndsWithWhatCameOfItsAuthentication() throws {
        self.bench.publish(
            .deviceVerified(target: "wall", commonName: "x", isAudioOnly: false), .deviceOnline(target: "wall"))
        #expect(try self.snapshot() == ["snapshot device.verified 1", "snapshot device.online 2"])
        self.bench.publish(.deviceReleased(target: "wall"))
        #expect(try self.snapshot().isEmpty)
        // Both come again above what they were.
        self.bench.publish(.deviceVerified(target: "wall", commonName: "x", isAudioOnly: false))
        #expect(try self.bench.reader().frames().compactMap { BenchReader.json($0).int("rev") } == [3])
    }

    @Test func whatADeviceToldEndsWithItsChannelAndADescriptionWithItsDevice() throws {
        self.bench.publish(
            .deviceOnline(target: "wall"), .deviceStatus(target: "wall", status: ["volume": ["level": 1]]),
            .virtualDeviceAdded(device: "hall"),
            .virtualDeviceDescribed(device: "hall", friendlyName: "Hall", model: "TV"))
        #expect(
            try self.snapshot() == [
                "snapshot device.online 1", "snapshot device.status 2", "snapshot virtual_device.added 3",
                "snapshot virtual_device.described 4",
            ])
        self.bench.publish(.deviceReleased(target: "wall"), .virtualDeviceRemoved(device: "hall"))
        #expect(try self.snapshot().isEmpty)
    }

    @Test func aSlowReaderLearnsThatAnAuthenticationEndedWithItsChannel() throws {
        let bench = JournalBench { $0.clientBudget = 64 << 10 }
        let reader = try bench.reader()
        _ = reader.take()
        for number in 1...300 { bench.publish(.receiverStatus(device: "room-\(number)", status: [:])) }
        bench.publish(.deviceVerified(target: "wall", commonName: "x", isAudioOnly: false))
        for _ in 1...3 { bench.publish(.deviceOnline(target: "wall"), .deviceReleased(target: "wall")) }
        bench.publish(.deviceOnline(target: "wall"))
        let told = reader.take()
        // One end stands for all that came before it.
        #expect(told.suffix(4) == ["device.verified 301", "coalesced 5", "device.released 307", "device.online 308"])
    }

    @Test func aPluginEndsWithTheConfiguration() throws {
        self.bench.publish(
            .plugin(name: "quiz", .ready(version: "1")), .plugin(name: "quiz", .stopped(reason: "gone")))
        #expect(try self.snapshot() == ["snapshot plugin.stopped 2"])
        self.bench.publish(.plugin(name: "quiz", .removed))
        #expect(try self.snapshot().isEmpty)
    }
}
