import Synchronization

/// One socket to which rules of the system bring datagrams that were sent to many addresses and ports.
///
/// It only receives: each datagram goes on by the relay that its sender and its first destination have, or is dropped. A relay has
/// a socket of its own at that destination, so what the sender sends later comes there, and here come the first ones alone.
package final class MediaGate: Sendable {
    /// The decision on a datagram.
    package enum Decision: Sendable {
        case pass(MediaRelay)
        /// It is dropped, and counted under this reason.
        case drop(MediaCounts.Drop)
    }

    let number: UInt64
    let socket: MediaSocket
    private let decide: @Sendable (_ sender: MediaEndpoint, _ destination: MediaEndpoint) -> Decision
    private let dropped = Mutex(MediaCounts())
    private let pool: MediaRelayPool

    init(
        number: UInt64, socket: MediaSocket, pool: MediaRelayPool,
        decide: @escaping @Sendable (MediaEndpoint, MediaEndpoint) -> Decision
    ) {
        self.number = number
        self.socket = socket
        self.pool = pool
        self.decide = decide
    }

    /// The address of the socket.
    package var address: MediaEndpoint { self.socket.local }

    /// Counts of what was dropped here; what passed is counted by the relays.
    package var counts: MediaCounts {
        let overflow = self.socket.overflow
        return self.dropped.withLock { counts in
            counts.overflowed(overflow)
            return counts
        }
    }

    /// Receives no more; relays stay. Does nothing the second time.
    package func close() {
        self.pool.remove(self)
    }

    // MARK: For the thread

    /// Takes what waits, and has each datagram go its way.
    func turn(_ batch: inout DatagramBatch) {
        guard batch.receive(from: self.socket) else { return }
        for index in 0..<batch.count {
            guard let sender = batch.source(of: index), let destination = batch.firstDestination(of: index) else {
                self.dropped.withLock { $0.dropped(.failed) }
                continue
            }
            switch self.decide(sender, destination) {
            case .pass(let relay): relay.take(index, of: &batch)
            case .drop(let reason): self.dropped.withLock { $0.dropped(reason) }
            }
        }
    }
}
