package import GatewayConfig
import NIOCore

/// `api.events`: how much of what happens is kept for readers of events.
package struct EventsConfiguration: ConfigSettings, Hashable {
    /// How many bytes of events are kept, 64 KiB to 1 GiB.
    package var history = 16 << 20
    /// How long they are kept, 10 seconds to 1 day: as long a reader may pause.
    package var historyAge = Duration.seconds(600)
    /// How many bytes may wait for one reader, 16 KiB to 64 MiB.
    package var clientBudget = 1 << 20

    /// The keys of `api.events`.
    package static let keys: [Key] = [
        Key(
            "history", \.history, .size(64 << 10...1 << 30),
            "How much is kept of what happened, for readers that come back; counted are the events as they are sent, with 256 bytes for each. "
                + "Up to a quarter may be messages of apps",
            reload: .restart),
        Key(
            "history_age", \.historyAge, .duration(.seconds(10) ... .seconds(86_400)),
            "How long it is kept. As long the messages of a namespace are kept that a lost reader had named, and a reader is that takes nothing",
            reload: .restart),
        Key(
            "client_budget", \.clientBudget, .size(16 << 10...64 << 20),
            "How much may wait for one reader. A reader that is a quarter of it behind gets the newest of each resource only, one that "
                + "is three quarters behind loses log events and is told how many",
            reload: .restart),
    ]

    package init() {}

    /// The same for the journal.
    package var limits: JournalLimits {
        var limits = JournalLimits()
        limits.history = self.history
        let (seconds, attoseconds) = self.historyAge.components
        limits.historyAge = .nanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
        limits.clientBudget = self.clientBudget
        return limits
    }
}
