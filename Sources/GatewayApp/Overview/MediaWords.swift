import CastWire

// Words of the protocol as operations answer them: in lower case, as operations take them. Where a status, a medium or an item is
// given whole, it has the protocol's own words.

extension IdleReason {
    /// `CANCELLED` is `cancelled`.
    var word: String { self.rawValue.lowercased() }
}

extension StreamType {
    /// `BUFFERED` is `buffered`.
    var word: String { self.rawValue.lowercased() }
}

extension RepeatMode {
    /// `REPEAT_ALL` is `all`.
    var word: String {
        let word = self.rawValue.lowercased()
        return word.hasPrefix("repeat_") ? String(word.dropFirst("repeat_".count)) : word
    }
}
