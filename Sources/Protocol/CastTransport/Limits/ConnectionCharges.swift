package import NIOCore

/// Counts the bytes of a request, from its first byte to the end of its answer, against the budget of its listener. For the connection's
/// event loop.
package struct RequestCharge {
    private let admission: ConnectionAdmission?
    private var bytes = 0
    private var charged = 0

    /// - Parameter admission: the connection; nil for one that is not counted.
    package init(_ admission: ConnectionAdmission?) {
        self.admission = admission
    }

    /// Counts bytes that came.
    /// - Returns: false when there is no room for them; the connection has to end then.
    package mutating func received(_ count: Int) -> Bool {
        self.bytes += count
        let due = max(0, self.bytes - PeerCost.freeRequestBytes) * PeerCost.perRequestByte - self.charged
        guard let admission, due > 0 else { return true }
        guard admission.charge(due) else { return false }
        self.charged += due
        return true
    }

    /// One of so many requests that were counted has been answered.
    /// - Parameter requests: at least 1.
    package mutating func answered(oneOf requests: Int) {
        self.bytes -= self.bytes / max(requests, 1)
        let kept = max(0, self.bytes - PeerCost.freeRequestBytes) * PeerCost.perRequestByte
        guard self.charged > kept else { return }
        self.admission?.refund(self.charged - kept)
        self.charged = kept
    }
}

/// Counts what waits unsent for a peer that does not read against the budget of its listener. For the connection's event loop.
package struct UnsentCharge {
    /// What one write may have without being counted, while nothing else waits: it is part of the connection's own cost.
    private static let free = 64 << 10

    private let admission: ConnectionAdmission?
    private var charged = 0

    /// - Parameter admission: the connection; nil for one that is not counted.
    package init(_ admission: ConnectionAdmission?) {
        self.admission = admission
    }

    /// Counts bytes that are about to be written.
    /// - Returns: false when there is no room for them; the connection has to end then.
    package mutating func write(_ count: Int, isWritable: Bool) -> Bool {
        guard let admission, !isWritable || count > Self.free else { return true }
        guard admission.charge(count) else { return false }
        self.charged += count
        return true
    }

    /// The peer has read, so that the channel is writable again.
    package mutating func becameWritable() {
        self.admission?.refund(self.charged)
        self.charged = 0
    }
}

extension Channel {
    /// Closes the connection at once, from any thread: TLS would wait seconds for the farewell of a peer that is silent or hostile, and
    /// keep all that the connection has for as long.
    package func hangUp() {
        self.eventLoop.execute {
            guard let tls = try? self.pipeline.syncOperations.context(name: CastPipeline.tlsHandlerName) else {
                return self.close(promise: nil)
            }
            tls.close(mode: .all, promise: nil)
        }
    }
}
