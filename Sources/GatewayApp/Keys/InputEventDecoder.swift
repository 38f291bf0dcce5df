import NIOCore

/// Reads `struct input_event` of `linux/input.h`, as an event device of the kernel gives them: a time of two machine words, then
/// type, code and value in the machine's byte order.
///
/// Records may come in pieces. What a device says behind `SYN_DROPPED`, up to the end of that report, is left out, since the kernel has lost
/// parts of it.
struct InputEventDecoder {
    /// What a device says of a key.
    struct Press: Sendable, Hashable {
        let key: HostKey
        /// Whether the key was held for long enough to count again.
        let isRepeat: Bool
    }

    /// The length of the time, in bytes: two words, 16 where a word has 64 bits, else 8.
    static let timeLength = 2 * MemoryLayout<Int>.size
    /// The length of a record, in bytes.
    static let recordLength = Self.timeLength + 8

    private enum Kind {
        static let synchronisation: UInt16 = 0  // EV_SYN
        static let key: UInt16 = 1  // EV_KEY
    }

    private enum Report {
        static let end: UInt16 = 0  // SYN_REPORT
        static let dropped: UInt16 = 3  // SYN_DROPPED
    }

    /// Less than a record.
    private var rest = ByteBuffer()
    private var isLost = false

    /// Takes bytes of the device.
    /// - Returns: the keys that were pressed, or held, in their order.
    mutating func read(_ bytes: ByteBuffer) -> [Press] {
        self.rest.writeImmutableBuffer(bytes)
        var presses: [Press] = []
        while self.rest.readableBytes >= Self.recordLength {
            self.rest.moveReaderIndex(forwardBy: Self.timeLength)
            guard let kind = self.rest.readInteger(endianness: .host, as: UInt16.self),
                let code = self.rest.readInteger(endianness: .host, as: UInt16.self),
                let value = self.rest.readInteger(endianness: .host, as: Int32.self)
            else { break }
            if let press = self.press(kind, code, value) { presses.append(press) }
        }
        self.rest.discardReadBytes()
        return presses
    }

    private mutating func press(_ kind: UInt16, _ code: UInt16, _ value: Int32) -> Press? {
        if kind == Kind.synchronisation {
            if code == Report.dropped { self.isLost = true }
            if code == Report.end { self.isLost = false }
            return nil
        }
        // 1 is a press, 2 a repeat, 0 the release.
        guard !self.isLost, kind == Kind.key, value == 1 || value == 2, let key = HostKey(code: code) else {
            return nil
        }
        guard value == 1 || key.repeats else { return nil }
        return Press(key: key, isRepeat: value == 2)
    }
}
