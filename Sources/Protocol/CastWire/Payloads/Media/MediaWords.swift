// Words of the protocol as operations, events and bridges tell them: in lower case, as operations take them. Where a status, a medium
// or an item is given whole, it has the protocol's own words.

extension IdleReason {
    /// `CANCELLED` is `cancelled`; a word of the receiver's own is in lower case too.
    package var word: String { self.rawValue.lowercased() }
}

extension StreamType {
    /// `BUFFERED` is `buffered`; a word of the receiver's own is in lower case too.
    package var word: String { self.rawValue.lowercased() }
}

extension RepeatMode {
    /// `REPEAT_ALL` is `all`; a word of the receiver's own is in lower case too.
    package var word: String {
        let word = self.rawValue.lowercased()
        return word.hasPrefix("repeat_") ? String(word.dropFirst("repeat_".count)) : word
    }
}
