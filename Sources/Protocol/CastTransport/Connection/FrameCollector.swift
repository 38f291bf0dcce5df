import CastWire
import NIOCore

/// Messages to bytes; what is written in one turn leaves at the flush.
///
/// Each piece becomes a TLS record of its own. Towards devices a turn is one piece. Towards senders it is two, the last
/// frame and all before it: pychromecast waits for the socket before each message, so it would see the later messages
/// of a record only when something else arrives, seconds later. While the record of the last frame lies in the socket
/// it goes on reading. A record for each frame would do as well, and cost 1.6 times the CPU at 32 frames a turn.
struct FrameCollector {
    /// A turn's frames leave by themselves from this many bytes on.
    static let turnLimit = 128 * 1024

    private let setsLastFrameApart: Bool
    private var pending = ByteBuffer()
    /// Where the last frame begins in `pending`.
    private var lastFrame = 0

    /// - Parameter setsLastFrameApart: whether the last frame of a turn is a piece of its own.
    init(setsLastFrameApart: Bool) {
        self.setsLastFrameApart = setsLastFrameApart
    }

    /// Adds a frame.
    /// - Parameter names: what the message is called in it; nil for its own names.
    /// - Returns: false when the message is too large for one.
    mutating func append(_ message: CastMessage, as names: MessageNames? = nil) -> Bool {
        let start = self.pending.writerIndex
        guard (try? message.serializeFrame(as: names, into: &self.pending)) != nil else { return false }
        self.lastFrame = start
        return true
    }

    /// True when the turn has brought so much that it must leave before its end.
    var isFull: Bool { self.pending.readableBytes >= Self.turnLimit }

    /// True when nothing waits for the flush.
    var isEmpty: Bool { self.pending.readableBytes == 0 }

    /// What was collected: at most two pieces.
    mutating func take() -> (first: ByteBuffer, second: ByteBuffer?)? {
        guard !self.isEmpty else { return nil }
        var first = self.pending
        // A quiet channel keeps no storage.
        self.pending = ByteBuffer()
        guard self.setsLastFrameApart, self.lastFrame > 0, let head = first.readSlice(length: self.lastFrame) else {
            return (first, nil)
        }
        return (head, first)
    }
}
