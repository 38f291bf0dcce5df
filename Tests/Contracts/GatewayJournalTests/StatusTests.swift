import CastWire
import GatewayCore
import NIOCore
import Testing

@testable import GatewayJournal

/// What readers are told of statuses that virtual devices broadcast.
@Suite(.timeLimit(.minutes(1))) struct StatusTests {
    private struct Silent: DeviceDescription {
        func deviceInformation(requestID: RequestID) -> JSONObject { [:] }
        func setupInformation(params: [String]?) -> JSONObject { [:] }
    }

    private let bench = JournalBench()
    private let hall = DeviceFacts(name: "hall", target: "wall", description: Silent())

    private func media(_ elements: JSONValue...) {
        let payload: JSONObject = ["type": "MEDIA_STATUS", "requestId": 0, "status": .array(elements)]
        self.bench.events.publishStatus(
            CastMessage(source: "t", destination: "*", namespace: .media, payload: .json(payload)), of: self.hall)
        self.bench.journal.drain()
    }

    private func receiver(_ status: JSONObject) {
        let payload: JSONObject = ["type": "RECEIVER_STATUS", "requestId": 0, "status": .object(status)]
        self.bench.events.publishStatus(
            CastMessage(source: "receiver-0", destination: "*", namespace: .receiver, payload: .json(payload)),
            of: self.hall)
        self.bench.journal.drain()
    }

    private func playing(_ seconds: Double, _ more: (String, JSONValue)...) -> JSONValue {
        .object(
            JSONObject(
                [
                    ("mediaSessionId", 1), ("playerState", "PLAYING"), ("playbackRate", 1),
                    ("currentTime", .number(seconds)),
                ]
                    + more))
    }

    @Test func aStatusSaysWhereItCameFrom() throws {
        self.receiver(["volume": ["level": 0.5]])
        let data = try #require(
            try self.bench.reader().frames().compactMap { BenchReader.json($0).object("data") }.first)
        #expect(data.string("via") == "relay")
        #expect(data.string("target") == "wall")
        let local = DeviceFacts(name: "office", target: nil, description: Silent())
        let payload: JSONObject = ["type": "RECEIVER_STATUS", "requestId": 0, "status": [:]]
        self.bench.events.publishStatus(
            CastMessage(source: "receiver-0", destination: "*", namespace: .receiver, payload: .json(payload)),
            of: local)
        self.bench.journal.drain()
        #expect(
            try self.bench.reader().frames().contains { BenchReader.json($0).object("data")?.string("via") == "local" })
    }

    @Test func positionsAreNotToldWhileTheyAreWhatIsExpected() throws {
        let reader = try self.bench.reader()
        _ = reader.take()
        self.media(self.playing(10))
        let data = try #require(reader.frames().first.map(BenchReader.json)?.object("data"))
        #expect(data.double("position") == 10)
        #expect(data.double("rate") == 1)
        #expect(data.string("at") == "2023-11-14T22:13:20.000Z")
        self.bench.pass(.seconds(5))
        self.media(self.playing(15.2))
        #expect(reader.take().isEmpty)
        // A seek is told.
        self.media(self.playing(40))
        #expect(reader.take() == ["media.status 2"])
    }

    @Test func whatReceiversLeaveOutIsToldAllTheSame() throws {
        let reader = try self.bench.reader()
        self.media(self.playing(0, ("media", ["contentId": "film"])))
        _ = reader.take()
        self.media(["mediaSessionId": 1, "playerState": "PAUSED", "currentTime": 3])
        let data = try #require(reader.frames().first.map(BenchReader.json)?.object("data"))
        #expect(data.object("status")?.object("media")?.string("contentId") == "film")
        #expect(data.double("rate") == 0)
        // Another media session has no medium before it says so.
        self.media(["mediaSessionId": 2, "playerState": "PLAYING", "currentTime": 0])
        let next = try #require(reader.frames().first.map(BenchReader.json)?.object("data"))
        #expect(next.object("status")?["media"] == nil)
    }

    @Test func whatEndsIsInNoSnapshot() throws {
        self.media(self.playing(0))
        #expect(try self.bench.reader().take().contains("snapshot media.status 1"))
        self.media()
        #expect(try self.bench.reader().take() == ["hello 2 1", "synced 2"])
        self.media()
        self.media(self.playing(0))
        self.bench.publish(.sessionEnded(device: "hall", sessionID: "s", reason: "stopped"))
        #expect(
            try self.bench.reader(from: JournalPosition(boot: "b1", seq: 2)).take() == [
                "hello 5 1", "media.status 3", "session.ended 4", "media.status 5", "synced 5",
            ])
    }

    @Test func whatIsNoStatusIsNoEvent() throws {
        self.bench.events.publishStatus(
            CastMessage(source: "t", destination: "*", namespace: .media, payload: .text("no JSON")), of: self.hall)
        self.bench.events.publishStatus(
            CastMessage(source: "t", destination: "*", namespace: .media, payload: .text("{\"type\":\"LOAD_FAILED\"}")),
            of: self.hall)
        self.bench.journal.drain()
        #expect(try self.bench.reader().take() == ["hello 0 1", "synced 0"])
    }

    @Test func theSameReceiverStatusIsToldOnce() throws {
        self.receiver(["volume": ["level": 0.5]])
        self.receiver(["volume": ["level": 0.5]])
        self.receiver(["volume": ["level": 0.6]])
        #expect(try self.bench.reader().take() == ["hello 2 1", "snapshot receiver.status 2", "synced 2"])
    }
}
