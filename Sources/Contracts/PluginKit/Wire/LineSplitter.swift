import Glibc
public import NIOCore

/// Cuts a stream of bytes into lines. A line beyond the limit is skipped up to its end, and all that follow are whole.
///
/// Holds at most one line of the limit and what was appended last.
public struct LineSplitter: Sendable {
    /// What comes next.
    public enum Piece: Hashable, Sendable {
        /// A line without its newline; shares its memory with what was appended.
        case line(ByteBuffer)
        /// A line that was skipped, with how many bytes it had.
        case oversized(Int)
    }

    private let maximumLength: Int
    private var pending = ByteBuffer()
    /// How many of the pending bytes hold no newline.
    private var searched = 0
    /// How many bytes of a line beyond the limit are gone already.
    private var skipped = 0

    /// Starts at the beginning of a line.
    /// - Parameter maximumLength: the longest line, in bytes without its newline.
    public init(maximumLength: Int = PluginProtocol.maximumLineLength) {
        self.maximumLength = maximumLength
    }

    /// How many bytes came since the last newline, the skipped ones counted.
    public var unfinishedLength: Int { self.skipped + self.pending.readableBytes }

    /// Takes bytes as they come in.
    public mutating func append(_ bytes: ByteBuffer) {
        if self.pending.readableBytes == 0 {
            self.pending = bytes
        } else {
            self.pending.discardReadBytes()
            self.pending.writeImmutableBuffer(bytes)
        }
    }

    /// The next line, or nil when there is none yet. Empty lines are left out.
    public mutating func next() -> Piece? {
        while true {
            guard let length = self.lengthOfLine() else {
                if self.pending.readableBytes > self.maximumLength {
                    self.skipped += self.pending.readableBytes
                    self.pending.clear()
                }
                self.searched = self.pending.readableBytes
                return nil
            }
            self.searched = 0
            guard let line = self.pending.readSlice(length: length) else { return nil }
            self.pending.moveReaderIndex(forwardBy: 1)
            let total = self.skipped + length
            self.skipped = 0
            if total > self.maximumLength { return .oversized(total) }
            if length > 0 { return .line(line) }
        }
    }

    /// What stands behind the last newline when the stream ends: half a line, or nil.
    public mutating func finish() -> Piece? {
        let total = self.unfinishedLength
        guard total > 0 else { return nil }
        defer {
            self.pending = ByteBuffer()
            self.searched = 0
            self.skipped = 0
        }
        return total > self.maximumLength ? .oversized(total) : .line(self.pending)
    }

    /// How many bytes stand before the next newline.
    private func lengthOfLine() -> Int? {
        self.pending.withUnsafeReadableBytes { bytes in
            let fresh = bytes.dropFirst(self.searched)
            guard let start = UnsafeRawBufferPointer(rebasing: fresh).baseAddress,
                let newline = memchr(start, 0x0A, fresh.count)
            else { return nil }
            return self.searched + (UnsafeRawPointer(newline) - start)
        }
    }
}
