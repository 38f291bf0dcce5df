package import NIOCore
import NIOPosix
import Synchronization

/// The event loops of the control plane: admin listener, API, join page and metrics. No caller of theirs ever waits in a relay, and no
/// relayed message waits for them.
///
/// They are made when the first of them begins to listen.
package final class ControlLoops: Sendable {
    private let made = Mutex<MultiThreadedEventLoopGroup?>(nil)

    package init() {}

    /// The number of the loops.
    /// - Parameter eventLoops: how many event loops there are for everything else.
    package static func count(beside eventLoops: Int) -> Int { max(1, eventLoops / 2) }

    /// Returns the loops, for a listener that begins.
    package func group() -> any EventLoopGroup {
        self.made.withLock { made in
            let group = made ?? MultiThreadedEventLoopGroup(numberOfThreads: Self.count(beside: System.coreCount))
            made = group
            return group
        }
    }

    /// The loops that turn; none before the first listener begins.
    package var running: [any EventLoop] { self.made.withLock { $0.map { Array($0.makeIterator()) } ?? [] } }

    /// Ends the loops, once nothing listens any more.
    package func close() async {
        let made = self.made.withLock { made in
            defer { made = nil }
            return made
        }
        // Nothing uses them any more; that they end is all that could fail.
        try? await made?.shutdownGracefully()
    }
}
