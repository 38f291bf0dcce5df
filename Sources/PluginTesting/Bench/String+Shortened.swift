extension String {
    /// Short enough to be shown, and without control characters.
    var shortened: String {
        let limit = 200
        let shown = self.unicodeScalars.prefix(limit).map { scalar in
            scalar.value < 0x20 || scalar.value == 0x7F ? "\u{FFFD}" : String(scalar)
        }.joined()
        return self.unicodeScalars.count > limit ? "\(shown)… (\(self.utf8.count) bytes)" : shown
    }
}
