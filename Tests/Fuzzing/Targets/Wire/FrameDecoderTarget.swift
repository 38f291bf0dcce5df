import CastTransport
import CastWire
import NIOCore

/// A stream of frames gives the same messages and the same fault, however it is cut, and whatever came before each.
///
/// The input: how many cuts, the length of each piece, the stream.
package enum FrameDecoderTarget: FuzzTarget {
    /// `frame-decoder`
    package static let name = "frame-decoder"

    private struct Reading: Equatable {
        var messages: [CastMessage] = []
        var fault: WireError?
    }

    /// Decodes the stream in pieces, in one gulp, and each frame as if it were the first.
    package static func run(_ input: [UInt8]) throws {
        var reader = InputReader(input)
        let lengths = reader.bytes(reader.number(below: 32)).map(Int.init)
        let stream = reader.rest()
        let whole = try Self.read([stream])
        let cut = try Self.read(Self.pieces(of: stream, lengths))
        try Violation.unless(whole == cut, "in one gulp \(whole), in pieces \(cut)")
        let apart = Self.readApart(ByteBuffer(bytes: stream))
        try Violation.unless(whole == apart, "in one gulp \(whole), each by itself \(apart)")
        for message in whole.messages {
            let length = message.serializedLength
            // The version may have been spelled longer than it is written.
            try Violation.unless(length <= CastMessage.maximumBodyLength + 8, "a message of \(length) bytes")
        }
    }

    private static func readApart(_ stream: ByteBuffer) -> Reading {
        var stream = stream
        var reading = Reading()
        var decoder = CastFrameDecoder()
        do {
            while let message = try decoder.decode(buffer: &stream) {
                reading.messages.append(message)
                decoder = CastFrameDecoder()
            }
        } catch {
            reading.fault = error as? WireError
        }
        return reading
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
        let processor = NIOSingleStepByteToMessageProcessor(CastFrameDecoder())
        var reading = Reading()
        do {
            for piece in pieces {
                try processor.process(buffer: ByteBuffer(bytes: piece)) { reading.messages.append($0) }
            }
            try processor.finishProcessing(seenEOF: true) { reading.messages.append($0) }
        } catch let fault as WireError {
            reading.fault = fault
        }
        return reading
    }
}
