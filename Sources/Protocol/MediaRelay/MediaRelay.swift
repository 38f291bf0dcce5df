import Synchronization

/// One stream that passes the gateway: datagrams of one sender to one device and back.
///
/// It has two sockets: at one the sender sends, the other is connected to the device. What the datagrams hold is never looked at.
/// Ends when it is closed, or when nothing passed for its idle time. May be asked and closed on any thread.
package final class MediaRelay: Sendable {
    let number: UInt64
    let north: MediaSocket
    let south: MediaSocket
    private let flow: Mutex<MediaFlow>
    private let pool: MediaRelayPool
    /// Called on the relays' thread, when nothing passed for too long and the relay is closed.
    let onIdle: @Sendable () -> Void

    init(
        number: UInt64, north: MediaSocket, south: MediaSocket, flow: MediaFlow, pool: MediaRelayPool,
        onIdle: @escaping @Sendable () -> Void
    ) {
        self.number = number
        self.north = north
        self.south = south
        self.flow = Mutex(flow)
        self.pool = pool
        self.onIdle = onIdle
    }

    /// The address that the sender sends to.
    package var address: MediaEndpoint { self.north.local }

    /// The sender's address; nil before its first datagram.
    package var sender: MediaEndpoint? { self.flow.withLock { $0.answersTo } }

    /// True if it carries datagrams: false once it was closed, or has fallen silent.
    package var isOpen: Bool { self.pool.has(self) }

    /// Counts of what has passed so far, and what has not.
    package var counts: MediaCounts {
        let overflow = self.north.overflow + self.south.overflow
        return self.flow.withLock { flow in
            flow.overflowed(overflow)
            return flow.counts
        }
    }

    /// Ends the relay; its ports are free once a batch that is under way has gone. Does nothing the second time.
    /// - Returns: what has passed.
    @discardableResult
    package func close() -> MediaCounts {
        self.pool.remove(self)
        return self.counts
    }

    // MARK: For the thread

    /// Takes what waits on one side and sends it on.
    func turn(_ side: Side, _ batch: inout DatagramBatch) {
        guard batch.receive(from: side == .north ? self.north : self.south) else { return }
        let now = ContinuousClock.now
        let direction: MediaCounts.Direction = side == .north ? .toDevice : .toSender
        let peer = self.flow.withLock { flow in
            for index in 0..<batch.count {
                let (length, isCut) = (batch.length(of: index), batch.isCut(index))
                let passes =
                    switch side {
                    case .north: flow.admits(from: batch.source(of: index), length: length, isCut: isCut)
                    case .south: flow.admitsAnswer(length: length, isCut: isCut)
                    }
                if passes { batch.pass(index) }
            }
            if batch.going > 0 {
                flow.passing(direction, packets: batch.going, bytes: batch.goingBytes, at: now)
            }
            return flow.answersTo
        }
        guard batch.going > 0 else { return }
        let losses =
            switch side {
            case .north: batch.send(through: self.south, to: nil)
            case .south: batch.send(through: self.north, to: peer)
            }
        if losses.packets > 0 { self.flow.withLock { $0.lost(losses, direction) } }
    }

    /// Sends one datagram of the sender on that came in by a gate.
    func take(_ index: Int, of batch: inout DatagramBatch) {
        let (source, length) = (batch.source(of: index), batch.length(of: index))
        let isCut = batch.isCut(index)
        let passes = self.flow.withLock { flow in
            guard flow.admits(from: source, length: length, isCut: isCut) else { return false }
            flow.passing(.toDevice, packets: 1, bytes: length, at: .now)
            return true
        }
        guard passes else { return }
        batch.passAlone(index)
        let losses = batch.send(through: self.south, to: nil)
        if losses.packets > 0 { self.flow.withLock { $0.lost(losses, .toDevice) } }
    }

    func isIdle(at now: ContinuousClock.Instant) -> Bool { self.flow.withLock { $0.isIdle(at: now) } }

    enum Side: UInt64 {
        case north = 0
        case south = 1
    }
}
