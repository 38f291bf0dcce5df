package import GatewayCore
import Synchronization

/// Numbers senders' channels, over all virtual devices.
package final class ConnectionIDs: Sendable {
    private let last = Atomic<UInt64>(0)

    /// Starts at 1.
    package init() {}

    /// The number of one more channel.
    package func next() -> ConnectionID {
        ConnectionID(rawValue: self.last.add(1, ordering: .relaxed).newValue)
    }
}
