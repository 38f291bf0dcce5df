import NIOCore
import NIOPosix
import ServiceLifecycle

/// Runs a journal on a thread of its own.
package struct JournalService: Service, CustomStringConvertible {
    private let journal: EventJournal

    package init(_ journal: EventJournal) {
        self.journal = journal
    }

    /// `journal`
    package var description: String { "journal" }

    /// Runs until graceful shutdown or cancellation; then every feed ends with `stopping`.
    package func run() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let eventLoop = group.next()
        self.journal.begin(on: eventLoop)
        try? await gracefulShutdown()
        try? await eventLoop.submit { self.journal.stop() }.get()
        try? await group.shutdownGracefully()
    }
}
