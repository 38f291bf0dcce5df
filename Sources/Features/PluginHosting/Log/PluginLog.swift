import CastWire
import GatewayCore
import Logging
import NIOCore
import PluginKit
import Synchronization

/// Takes what a plugin has to say into the log: bounded, cut, and no faster than may be.
///
/// Lines of its standard error are at info, since programs say there what is no error. A line that is a JSON object with
/// `level` and `msg` (or `message`) keeps both.
final class PluginLog: Sendable {
    /// The number of bytes of a line that are kept.
    static let lineLimit = 8192
    /// The number of lines a second that are written.
    static let linesPerSecond = 200
    /// The number of lines kept for status.
    static let keptLines = 64

    private struct State {
        var pending = ByteBuffer()
        /// True if the rest of a line beyond the limit is being skipped.
        var isSkipping = false
        var rate = LineRate(limit: PluginLog.linesPerSecond, window: .seconds(1))
        var unsaid = 0
        var kept: CircularBuffer<String> = []
    }

    private let logger: Logger
    private let state = Mutex(State())
    private let now: @Sendable () -> NIODeadline

    init(logger: Logger, now: @escaping @Sendable () -> NIODeadline = { .now() }) {
        self.logger = logger
        self.now = now
    }

    /// The last lines of the standard error.
    var lastLines: [String] { self.state.withLock { Array($0.kept) } }

    /// Takes bytes of the standard error; nil at its end.
    func take(_ bytes: ByteBuffer?) {
        let lines = self.state.withLock { state -> [String] in
            guard var bytes else { return Self.finish(&state) }
            return Self.split(&bytes, &state)
        }
        for line in lines { self.write(line) }
        if bytes == nil { self.sayUnsaid() }
    }

    /// Takes a `log` notification or effect; one that is left out costs no more than its count.
    func take(_ record: @autoclosure () -> PluginLogRecord) {
        if self.admits() { self.write(record()) }
    }

    private func write(_ record: PluginLogRecord) {
        var metadata: Logger.Metadata = [:]
        for (name, value) in record.fields.members.prefix(32) {
            metadata[name.cut(to: 64)] = Self.metadata(value)
        }
        self.logger.log(
            level: Logger.Level(record.level), "\(record.message.cut(to: Self.lineLimit))", metadata: metadata)
    }

    /// Numbers and truth values stay what they are; everything else is text.
    private static func metadata(_ value: JSONValue) -> Logger.MetadataValue {
        switch value {
        case .bool(let bool): .stringConvertible(bool)
        case .number(let number):
            if let whole = number.intValue {
                .stringConvertible(whole)
            } else if number.doubleValue.isFinite {
                .stringConvertible(number.doubleValue)
            } else {
                .string(number.literal.cut(to: 1024))
            }
        default: .string((value.stringValue ?? value.text).cut(to: 1024))
        }
    }

    private func write(_ line: String) {
        guard self.admits() else { return }
        if line.hasPrefix("{"), let json = (try? JSONReader.read(line))?.objectValue,
            let text = json.string("msg") ?? json.string("message")
        {
            let level = json.string("level").flatMap { Effect.LogLevel(rawValue: $0.lowercased()) } ?? .info
            var fields = json
            for name in ["level", "msg", "message", "time", "timestamp", "ts"] { fields[name] = nil }
            return self.write(PluginLogRecord(level, text, fields: fields))
        }
        self.logger.info("\(line)", metadata: ["stream": "stderr"])
    }

    /// Returns true if one more may be written now. When some could not be before, that is said first.
    private func admits() -> Bool {
        let now = self.now()
        let (isAdmitted, unsaid) = self.state.withLock { state -> (Bool, Int) in
            guard state.rate.admit(at: now) else {
                state.unsaid += 1
                return (false, 0)
            }
            defer { state.unsaid = 0 }
            return (true, state.unsaid)
        }
        if isAdmitted, unsaid > 0 { self.say(unsaid) }
        return isAdmitted
    }

    private func sayUnsaid() {
        let unsaid = self.state.withLock { state in
            defer { state.unsaid = 0 }
            return state.unsaid
        }
        if unsaid > 0 { self.say(unsaid) }
    }

    private func say(_ unsaid: Int) {
        self.logger.warning(
            "The plugin wrote more than may be written", metadata: ["left_out": .stringConvertible(unsaid)])
    }

    private static func split(_ bytes: inout ByteBuffer, _ state: inout State) -> [String] {
        var lines: [String] = []
        while bytes.readableBytes > 0 {
            let end = bytes.readableBytesView.firstIndex(of: UInt8(ascii: "\n"))
            let length = (end ?? bytes.writerIndex) - bytes.readerIndex
            if !state.isSkipping {
                let room = Self.lineLimit - state.pending.readableBytes
                if var part = bytes.getSlice(at: bytes.readerIndex, length: min(length, room)) {
                    state.pending.writeBuffer(&part)
                }
                state.isSkipping = length > room
            }
            bytes.moveReaderIndex(forwardBy: length + (end == nil ? 0 : 1))
            if end != nil { lines += Self.endLine(&state) }
        }
        return lines
    }

    private static func finish(_ state: inout State) -> [String] { Self.endLine(&state) }

    private static func endLine(_ state: inout State) -> [String] {
        defer {
            state.pending.clear()
            state.isSkipping = false
        }
        guard state.pending.readableBytes > 0 else { return [] }
        var line = String(buffer: state.pending)
        if line.hasSuffix("\r") { line.removeLast() }
        if state.isSkipping { line += "…" }
        if state.kept.count >= Self.keptLines { state.kept.removeFirst() }
        state.kept.append(line)
        return [line]
    }
}

extension String {
    /// The beginning of a text that may be of any length, with a mark where it was cut.
    func cut(to limit: Int) -> String {
        self.utf8.count <= limit ? self : String(decoding: self.utf8.prefix(limit), as: UTF8.self) + "…"
    }
}
