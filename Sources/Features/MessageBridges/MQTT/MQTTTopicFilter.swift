/// Topics that are written as one, with `+` for any level and a `#` at the end for any number of them (MQTT 5, 4.7). Compared byte by
/// byte, as a broker does.
struct MQTTTopicFilter: Sendable, Hashable {
    private let levels: [Substring]

    /// Reads a filter.
    /// - Returns: nil for one that is none, and for one whose first level is not written out.
    init?(_ text: String) {
        let levels = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let first = levels.first, !text.hasPrefix("$"), text.utf8.count <= MQTTTopics.maximumLength,
            first != "+", first != "#", !levels.contains(where: \.isEmpty),
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }),
            levels.allSatisfy({ $0 == "+" || $0 == "#" || !$0.contains { "+#".contains($0) } }),
            !levels.dropLast().contains("#")
        else { return nil }
        self.levels = levels
    }

    /// True if a topic is one of those that are meant.
    func matches(_ topic: String) -> Bool {
        let parts = topic.split(separator: "/", omittingEmptySubsequences: false)
        for (index, level) in self.levels.enumerated() {
            if level == "#" { return true }
            guard index < parts.count, level == "+" || level.utf8.elementsEqual(parts[index].utf8) else { return false }
        }
        return parts.count == self.levels.count
    }
}
