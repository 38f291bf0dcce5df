import Glibc

/// What the last message said of where it comes from and goes to. Messages in a row mostly say the same: what does is
/// compared instead of read, which spares half of the reading.
package struct RouteRecall {
    /// Starts without any.
    package init() {}

    /// The members between a message's id and its payload, from the comma before them to the last quote.
    ///
    /// They begin with a comma and end with a string, so whatever stands before and behind them, they mean the same.
    private(set) var bytes: [UInt8] = []
    /// What they say.
    private(set) var route: PluginRoute?

    /// Longer ones are not kept.
    private static let maximumLength = 2_048

    /// The route, when the same members stand here.
    func route(at offset: Int, _ bytes: Span<UInt8>) -> PluginRoute? {
        let end = offset + self.bytes.count
        guard let route, end <= bytes.count else { return nil }
        let isSame = bytes.extracting(offset..<end).withUnsafeBytes { here in
            self.bytes.withUnsafeBytes { known in
                here.baseAddress.map { here in
                    known.baseAddress.map { memcmp(here, $0, known.count) == 0 } ?? false
                } ?? false
            }
        }
        return isSame ? route : nil
    }

    /// Keeps what was read from these members.
    mutating func learn(_ range: Range<Int>, _ bytes: Span<UInt8>, _ route: PluginRoute) {
        guard (2...Self.maximumLength).contains(range.count), bytes[range.lowerBound] == UInt8(ascii: ","),
            bytes[range.upperBound - 1] == UInt8(ascii: "\"")
        else {
            self.route = nil
            return
        }
        self.bytes.removeAll(keepingCapacity: true)
        bytes.extracting(range).withUnsafeBytes { self.bytes.append(contentsOf: $0) }
        self.route = route
    }
}
