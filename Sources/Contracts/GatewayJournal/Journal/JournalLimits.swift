package import NIOCore

/// How much the journal keeps, for all readers and for one.
package struct JournalLimits: Hashable, Sendable {
    /// How many bytes of events are kept for readers that come back.
    package var history = 16 << 20
    /// How long an event is kept for readers that come back, a namespace for a reader that was lost, and a reader that takes
    /// nothing.
    package var historyAge = TimeAmount.minutes(10)
    /// How many bytes may wait for one reader.
    package var clientBudget = 1 << 20
    /// How many bytes may wait for all readers together: beyond it, the feed of the one for which most waits ends.
    package var readersBudget = 64 << 20
    /// How many bytes of events may wait to be numbered.
    package var backlog = 8 << 20
    /// After how long without an event a reader gets a bookmark.
    package var bookmarkInterval = TimeAmount.seconds(10)

    package init() {}

    /// So much of the history may be messages of apps.
    var messageHistory: Int { self.history / 4 }
    /// What waits for one reader of log events; what is left of the budget is for the newest of each resource.
    var logBudget: Int { self.clientBudget / 4 * 3 }
    /// So much waits for a reader that counts as slow: it gets the newest of each resource only.
    var slowness: Int { self.clientBudget / 4 }
}
