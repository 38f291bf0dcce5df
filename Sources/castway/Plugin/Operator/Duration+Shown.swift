extension Duration {
    /// Two units at most: `3d 4h`, `12m 5s`, `850ms`.
    var shown: String {
        let milliseconds = Int(self / .milliseconds(1))
        if milliseconds < 1000 { return "\(milliseconds)ms" }
        let units = [("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)]
        var rest = milliseconds / 1000
        var parts: [String] = []
        for (unit, seconds) in units where rest >= seconds || !parts.isEmpty {
            guard parts.count < 2 else { break }
            if rest / seconds > 0 || parts.isEmpty { parts.append("\(rest / seconds)\(unit)") }
            rest %= seconds
        }
        return parts.joined(separator: " ")
    }
}
