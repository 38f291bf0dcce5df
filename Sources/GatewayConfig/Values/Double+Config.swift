extension Double {
    /// The shortest text that reads back as the same number; whole numbers have no fraction.
    var configText: String {
        if let whole = Int(exactly: self), abs(whole) < 1_000_000_000 { return String(whole) }
        return "\(self)"
    }
}
