/// Walks a DNS message (RFC 1035, section 4), bounds-checked. Whatever is not as it should be is an error.
///
/// The bytes are passed to each step; they have to be the same ones every time.
struct DNSReader {
    /// The limit of a name, in bytes, lengths of labels included (RFC 1035, section 2.3.4).
    private static let maximumNameLength = 255
    /// More than any name needs; each has to lead to a place before the one that it stands at.
    private static let maximumPointers = 32
    /// The first offset at which names may begin.
    private static let headerLength = 12

    private(set) var offset: Int

    init(at offset: Int) {
        self.offset = offset
    }

    mutating func byte(_ bytes: Span<UInt8>) throws(DNSError) -> UInt8 {
        guard self.offset < bytes.count else { throw DNSError() }
        defer { self.offset += 1 }
        return bytes[self.offset]
    }

    /// Two bytes, the higher first.
    mutating func short(_ bytes: Span<UInt8>) throws(DNSError) -> UInt16 {
        let high = try self.byte(bytes)
        return UInt16(high) << 8 | UInt16(try self.byte(bytes))
    }

    mutating func skip(_ count: Int, _ bytes: Span<UInt8>) throws(DNSError) {
        guard count <= bytes.count - self.offset else { throw DNSError() }
        self.offset += count
    }

    /// A name's labels, ASCII letters made small, without the empty one at its end.
    mutating func name(_ bytes: Span<UInt8>) throws(DNSError) -> [[UInt8]] {
        var labels: [[UInt8]] = []
        try self.walkName(bytes, followsPointers: true) { labels.append($0) }
        return labels
    }

    mutating func skipName(_ bytes: Span<UInt8>) throws(DNSError) {
        try self.walkName(bytes, followsPointers: false) { _ in }
    }

    private mutating func walkName(
        _ bytes: Span<UInt8>, followsPointers: Bool, _ take: ([UInt8]) -> Void
    ) throws(DNSError) {
        var walker = self
        var (length, pointers, floor) = (1, 0, self.offset)
        while true {
            let head = try walker.byte(bytes)
            switch head {
            case 0:
                if pointers == 0 { self.offset = walker.offset }
                return
            case 1..<64:
                length += Int(head) + 1
                guard length <= Self.maximumNameLength else { throw DNSError() }
                let start = walker.offset
                try walker.skip(Int(head), bytes)
                if followsPointers { take((start..<walker.offset).map { bytes[$0].lowercasedASCII }) }
            case 192...:
                let target = Int(head & 63) << 8 | Int(try walker.byte(bytes))
                if pointers == 0 { self.offset = walker.offset }
                guard followsPointers else { return }
                pointers += 1
                guard pointers <= Self.maximumPointers, target >= Self.headerLength, target < floor else {
                    throw DNSError()
                }
                floor = target
                walker.offset = target
            default: throw DNSError()
            }
        }
    }
}

/// A message that is none: cut off, or with names that go nowhere.
struct DNSError: Error {}
