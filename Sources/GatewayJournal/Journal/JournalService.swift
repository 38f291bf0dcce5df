import NIOCore
import NIOPosix
public import ServiceLifecycle

/// Runs a journal on a thread of its own.
public struct JournalService: Service, CustomStringConvertible {
    private let journal: EventJournal

    /// Takes the journal.
    public init(_ journal: EventJournal) {
        self.journal = journal
    }

    /// `journal`
    public var description: String { "journal" }

    /// Runs until graceful shutdown or cancellation; then every feed ends with `stopping`.
    public func run() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let eventLoop = group.next()
        self.journal.begin(on: eventLoop)
        try? await gracefulShutdown()
        try? await eventLoop.submit { self.journal.stop() }.get()
        try? await group.shutdownGracefully()
    }
}
