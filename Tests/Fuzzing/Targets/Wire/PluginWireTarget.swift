import CastWire
import NIOCore
import PluginKit

/// Whatever comes over a plugin's wire, from either end, is a line or a fault; a line stays the same when it is written.
package enum PluginWireTarget: FuzzTarget {
    /// `plugin-wire`
    package static let name = "plugin-wire"

    /// Lines of at most so many bytes, so that short inputs have longer ones.
    private static let maximumLength = 4_096

    /// The first byte says in which chunks the rest arrives.
    package static func run(_ input: [UInt8]) throws {
        var reader = InputReader(input)
        let chunk = reader.number(below: 64) + 1
        let stream = reader.rest()
        let pieces = Self.split(stream, chunk: stream.count)
        try Violation.unless(
            pieces == Self.split(stream, chunk: chunk), "split otherwise when it comes in chunks of \(chunk)")
        var recall = RouteRecall()
        for case .line(let line) in pieces {
            let recalled = try? GatewayLine(reading: line, recalling: &recall)
            try Violation.unless(
                recalled == (try? GatewayLine(reading: line)), "what was said before changes \(String(buffer: line))")
            try Self.checkGatewayLine(line)
            try Self.checkPluginLine(line)
        }
    }

    private static func split(_ stream: [UInt8], chunk: Int) -> [LineSplitter.Piece] {
        var splitter = LineSplitter(maximumLength: Self.maximumLength)
        var pieces: [LineSplitter.Piece] = []
        for start in stride(from: 0, to: stream.count, by: max(1, chunk)) {
            splitter.append(ByteBuffer(bytes: stream[start..<min(start + max(1, chunk), stream.count)]))
            while let piece = splitter.next() { pieces.append(piece) }
        }
        if let piece = splitter.finish() { pieces.append(piece) }
        return pieces
    }

    private static func checkGatewayLine(_ line: ByteBuffer) throws {
        guard let read = try? GatewayLine(reading: line) else { return }
        let written = try Self.written { read.write(to: &$0) }
        try Violation.unless(
            try GatewayLine(reading: written) == read, "\(read) became \(String(buffer: written))")
        switch read {
        case .message(_, let request): try Self.check(request.message, at: ["params", "message"], of: line)
        case .event(let event):
            if let message = event.message { try Self.check(message, at: ["params", "message"], of: line) }
        case .response(let response):
            _ = try? response.sendResult()
            _ = try? response.queryResult()
            _ = try? response.value()
            _ = try? response.keys()
        default: break
        }
    }

    private static func checkPluginLine(_ line: ByteBuffer) throws {
        guard let read = try? PluginLine(reading: line) else { return }
        let written = try Self.written { read.write(to: &$0) }
        try Violation.unless(
            try PluginLine(reading: written) == read, "\(read) became \(String(buffer: written))")
        guard case .response(let response) = read else { return }
        _ = try? response.initializeResult()
        _ = try? response.health()
        _ = try? response.reloadOutcome()
        guard let id = response.id, let verdict = try? response.verdict() else { return }
        let again = try Self.written { verdict.write(id: id, to: &$0) }
        guard case .response(let second) = try PluginLine(reading: again) else {
            throw Violation("a verdict became \(String(buffer: again))")
        }
        try Violation.unless(try second.verdict() == verdict, "\(verdict) became \(String(buffer: again))")
        if case .reply(let payload) = verdict.disposition { try Self.checkAnswer(payload) }
    }

    /// One line without its newline.
    private static func written(_ write: (inout ByteBuffer) -> Void) throws -> ByteBuffer {
        var buffer = ByteBuffer()
        write(&buffer)
        let newlines = buffer.readableBytesView.count { $0 == 0x0A }
        guard newlines == 1, buffer.readableBytesView.last == 0x0A,
            let line = buffer.readSlice(length: buffer.readableBytes - 1)
        else { throw Violation("no single line: \(String(buffer: buffer))") }
        return line
    }

    /// The quick way and the way over values find the same.
    private static func check(_ message: PluginMessage, at path: [String], of line: ByteBuffer) throws {
        guard let value = try? JSONReader.read(line) else {
            // What is skipped is not looked at as text.
            return try Violation.unless(
                (try? UTF8Span(validating: line.readableBytesUInt8Span)) == nil, "no JSON, yet \(message) was read")
        }
        let object = path.reduce(value.objectValue) { $0?.object($1) }
        guard let object else { throw Violation("no \(path), yet \(message) was read") }
        try Violation.unless(object.string("id") == message.id, "another id than \(message.id)")
        try Violation.unless(object.string("namespace") == message.namespace.rawValue, "another namespace")
        try Violation.unless(object.string("type") == message.type, "another type than \(message.type ?? "none")")
        if case .string(let text) = object["payload"], object["payloadB64"] == nil {
            try Violation.unless(message.payload == .text(text), "another payload than \(text)")
        }
    }

    /// An answer has its request's id, and nothing else about it is changed.
    private static func checkAnswer(_ payload: CastMessage.Payload) throws {
        let answer = payload.answering(17)
        guard let before = payload.jsonObject, PayloadSummary(peeking: payload).requestID == nil else {
            return try Violation.unless(answer == payload, "\(payload) was changed to \(answer)")
        }
        guard let after = answer.jsonObject else { throw Violation("\(answer) is no JSON any more") }
        let isSame =
            after.members.first?.name == "requestId" && after.members.first?.value == 17
            && after.members.dropFirst().elementsEqual(before.members) { $0.name == $1.name && $0.value == $1.value }
        try Violation.unless(isSame, "\(payload) was changed to \(answer)")
    }
}
