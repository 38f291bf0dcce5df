import CastWire
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import BuiltInReceiver

/// How often what runs is written down.
@Suite struct RecordKeeperTests {
    private final class Records: ReceiverRecords {
        let kept = Mutex<[JSONObject?]>([])
        let ended = Mutex<[JSONObject?]>([])

        func take(device: String) -> JSONObject? { nil }
        func keep(_ record: JSONObject?, of device: String) { self.kept.withLock { $0.append(record) } }
        func end(_ record: JSONObject?, of device: String) { self.ended.withLock { $0.append(record) } }
        var count: Int { self.kept.withLock { $0.count } }
    }

    private let records = Records()
    private let loop = EmbeddedEventLoop()

    @Test func changesAreWrittenInGroups() {
        let keeper = RecordKeeper(self.records, device: "hall", eventLoop: self.loop)
        let bound = NIOLoopBound(keeper, eventLoop: self.loop)
        #expect(keeper.begin({ bound.value.keep(["app": "a"], isPlaying: false) }) == nil)
        for _ in 0..<10 { keeper.changed() }
        self.loop.advanceTime(by: .seconds(1))
        #expect(self.records.count == 1)
        for _ in 0..<10 { keeper.changed() }
        self.loop.advanceTime(by: .seconds(3))
        #expect(self.records.count == 1)
        self.loop.advanceTime(by: .seconds(2))
        #expect(self.records.count == 2)
        self.loop.advanceTime(by: .seconds(600))
        #expect(self.records.count == 2)
    }

    @Test func aPositionIsWrittenNowAndThen() {
        let keeper = RecordKeeper(self.records, device: "hall", eventLoop: self.loop)
        let bound = NIOLoopBound(keeper, eventLoop: self.loop)
        #expect(keeper.begin({ bound.value.keep(["app": "b"], isPlaying: false) }) == nil)
        keeper.keep(["app": "a"], isPlaying: true)
        self.loop.advanceTime(by: .seconds(29))
        #expect(self.records.count == 1)
        self.loop.advanceTime(by: .seconds(600))
        #expect(self.records.count == 2)
    }

    @Test func aReceiverOnWhichNothingEverRanWritesNothing() {
        let keeper = RecordKeeper(self.records, device: "hall", eventLoop: self.loop)
        keeper.keep(nil, isPlaying: false)
        keeper.end(nil)
        #expect(self.records.count == 0 && self.records.ended.withLock(\.isEmpty))
        keeper.keep(["app": "a"], isPlaying: false)
        keeper.keep(nil, isPlaying: false)
        keeper.keep(nil, isPlaying: false)
        #expect(self.records.count == 2)
        keeper.end(["app": "b"])
        #expect(self.records.ended.withLock { $0 } == [["app": "b"]])
    }
}
