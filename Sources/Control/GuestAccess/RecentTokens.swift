import GatewayOperations

/// Which address got a token for which code a moment ago. Knows no clock, and keeps a bounded number in mind.
struct RecentTokens {
    /// For how long the same form counts as sent once more, in seconds.
    static let memory: Int64 = 60
    private static let maximumCount = 1024

    private struct Key: Hashable {
        let code: String
        let address: String
    }

    private struct Entry {
        let guest: String
        let time: UTCTime
    }

    private var entries: [Key: Entry] = [:]

    /// Notes that a guest got a token.
    mutating func note(_ guest: String, of code: String, at address: String, _ now: UTCTime) {
        if self.entries.count >= Self.maximumCount {
            self.entries = self.entries.filter { Self.isRecent($0.value, now) }
        }
        // Without room for it, a form that is sent again is refused.
        guard self.entries.count < Self.maximumCount else { return }
        self.entries[Key(code: code, address: address)] = Entry(guest: guest, time: now)
    }

    /// The guest that got one, which is forgotten by that.
    mutating func take(of code: String, at address: String, _ now: UTCTime) -> String? {
        self.entries.removeValue(forKey: Key(code: code, address: address))
            .flatMap { Self.isRecent($0, now) ? $0.guest : nil }
    }

    private static func isRecent(_ entry: Entry, _ now: UTCTime) -> Bool {
        (0..<Self.memory).contains(now.seconds - entry.time.seconds)
    }
}
