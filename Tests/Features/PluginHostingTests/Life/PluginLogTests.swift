import CastWire
import CastwayTestSupport
import Logging
import NIOCore
import PluginKit
import Synchronization
import Testing

@testable import PluginHosting

/// How much a plugin may write to the log.
@Suite struct PluginLogTests {
    private final class Clock: Sendable {
        let now = Mutex(NIODeadline.uptimeNanoseconds(1_000_000_000))

        func advance(_ time: TimeAmount) { self.now.withLock { $0 = $0 + time } }
    }

    private let recorder = LogRecorder()
    private let clock = Clock()
    private let log: PluginLog

    init() {
        let clock = self.clock
        self.log = PluginLog(logger: self.recorder.logger()) { clock.now.withLock { $0 } }
    }

    private func take(_ text: String) { self.log.take(ByteBuffer(string: text)) }

    private var messages: [String] { self.recorder.entries.map(\.message) }

    @Test func linesAreCutWhereverTheyArrive() {
        self.take("one\ntw")
        self.take("o\r\n\n")
        self.take("three")
        #expect(self.messages == ["one", "two"])
        self.log.take(nil)
        #expect(self.messages == ["one", "two", "three"])
    }

    @Test func aLongLineIsCutAndTheNextIsWhole() {
        let long = String(repeating: "x", count: PluginLog.lineLimit)
        self.take(long)
        self.take("yyy")
        self.take("\nnext\n")
        #expect(self.messages == [long + "…", "next"])
    }

    @Test func aLineOfExactlyTheLimitIsWhole() {
        let long = String(repeating: "x", count: PluginLog.lineLimit)
        self.take(long + "\n")
        #expect(self.messages == [long])
    }

    @Test func tooManyLinesAreSummarised() {
        for number in 0..<(PluginLog.linesPerSecond + 50) { self.take("\(number)\n") }
        #expect(self.messages.count == PluginLog.linesPerSecond)
        self.clock.advance(.seconds(1))
        self.take("later\n")
        #expect(
            Array(self.messages.suffix(2)) == ["The plugin wrote more than may be written", "later"])
        #expect(self.recorder.entries.dropLast().last?.metadata["left_out"] == .stringConvertible(50))
        #expect(self.log.lastLines.count == PluginLog.keptLines)
        #expect(self.log.lastLines.last == "later")
    }

    @Test func numbersAndTruthValuesStayWhatTheyAre() {
        let fields: JSONObject = ["n": 5, "f": 0.25, "b": false, "s": "5", "l": [1], "big": .number(1e300)]
        self.log.take(PluginLogRecord(.info, "typed", fields: fields))
        #expect(
            self.recorder.entries.first?.metadata == [
                "n": .stringConvertible(5), "f": .stringConvertible(0.25), "b": .stringConvertible(false),
                "s": "5", "l": "[1]", "big": .stringConvertible(1e300),
            ])
    }

    @Test func notificationsCountToo() {
        for _ in 0..<(PluginLog.linesPerSecond + 1) { self.log.take(PluginLogRecord(.error, "loud")) }
        #expect(self.messages.count == PluginLog.linesPerSecond)
        self.log.take(nil)
        #expect(self.recorder.entries.last?.metadata["left_out"] == .stringConvertible(1))
    }

    @Test(arguments: [
        (#"{"level":"WARNING","message":"m"}"#, "m"), (#"{"msg":"n"}"#, "n"),
        (#"{"level":"error"}"#, #"{"level":"error"}"#),
        ("{broken", "{broken"), ("\u{FFFD}", "\u{FFFD}"),
    ]) func whatIsNoRecordIsALine(line: String, message: String) {
        self.take(line + "\n")
        #expect(self.messages == [message])
    }
}
