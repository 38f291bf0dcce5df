import NIOCore
import NIOEmbedded
import NIOWebSocket

@testable import ControlAPI
@testable import HTTPServing

/// What a client sends on a WebSocket means the same however it is cut: the same messages, and the same end. What is a message is UTF-8 or
/// bytes, within the limit, and is read as a frame of the API or refused.
///
/// The input: how many cuts, the length of each piece, the stream.
package enum WebSocketTarget: FuzzTarget {
    /// `websocket`
    package static let name = "websocket"

    private static let limits = WebSocketLimits(maximumMessageBytes: 300)

    private struct Reading: Equatable {
        var messages: [String] = []
        /// The Close frame of the server, if it said one.
        var close: [UInt8]?
        var hasEnded = false
    }

    private final class Endpoint: WebSocketEndpoint {
        var reading = Reading()

        func opened() {}

        func received(text: ByteBuffer) {
            let frame = Result { () throws(ClientFrame.Fault) in try ClientFrame(reading: text) }
            self.reading.messages.append("\(text.readableBytes) \(String(buffer: text)) \(frame)")
        }

        func received(binary: ByteBuffer) { self.reading.messages.append("\(Array(binary.readableBytesView))") }
        func becameWritable() {}
        func ended() { self.reading.hasEnded = true }
    }

    /// Reads the stream in pieces and in one gulp.
    package static func run(_ input: [UInt8]) throws {
        var reader = InputReader(input)
        let lengths = reader.bytes(reader.number(below: 32)).map(Int.init)
        let stream = reader.rest()
        let whole = try Self.read([stream])
        let cut = try Self.read(Self.pieces(of: stream, lengths))
        try Violation.unless(whole == cut, "in one gulp \(whole), in pieces \(cut)")
        try Violation.unless((whole.close == nil) == !whole.hasEnded, "an end without a Close frame: \(whole)")
        if let close = whole.close {
            try Violation.unless(close.count <= 125 && close.count != 1, "a Close frame of \(close.count) bytes")
        }
    }

    private static func pieces(of stream: [UInt8], _ lengths: [Int]) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var rest = stream[...]
        for length in lengths where !rest.isEmpty {
            pieces.append(Array(rest.prefix(max(1, length))))
            rest = rest.dropFirst(max(1, length))
        }
        return pieces + [Array(rest)]
    }

    private static func read(_ pieces: [[UInt8]]) throws -> Reading {
        let channel = EmbeddedChannel()
        let endpoint = Endpoint()
        let bound = NIOLoopBound(endpoint, eventLoop: channel.eventLoop)
        let decoder = WebSocketFrameDecoder(maxFrameSize: Self.limits.maximumMessageBytes)
        try channel.pipeline.syncOperations.addHandlers([
            ByteToMessageHandler(decoder),
            WebSocketHandler(limits: Self.limits, channel: channel) { _ in bound.value },
        ])
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        for piece in pieces where channel.isActive {
            channel.pipeline.fireChannelRead(ByteBuffer(bytes: piece))
            channel.pipeline.fireChannelReadComplete()
        }
        var reading = endpoint.reading
        reading.close = try Self.close(in: channel)
        _ = try? channel.finish(acceptAlreadyClosed: true)
        return reading
    }

    /// The Close frame among the frames of the server, which has to be the last, and all of them whole.
    private static func close(in channel: EmbeddedChannel) throws -> [UInt8]? {
        var bytes = ByteBuffer()
        while let piece = try channel.readOutbound(as: ByteBuffer.self) { bytes.writeImmutableBuffer(piece) }
        var close: [UInt8]?
        while let first: UInt8 = bytes.readInteger() {
            try Violation.unless(close == nil, "something behind a Close frame")
            guard let length: UInt8 = bytes.readInteger(), let payload = bytes.readBytes(length: Int(length)) else {
                throw Violation("half a frame")
            }
            if first == 0x88 { close = payload }
        }
        return close
    }
}
