import Synchronization

/// A connection that ``ConnectionLimiter`` counts: told once when TLS stands, and once when the connection is gone.
public final class ConnectionAdmission: Sendable {
    private enum Stage {
        case handshake, secured, released
    }

    private let limiter: ConnectionLimiter
    private let block: AddressBlock
    private let number: UInt64
    private let stage = Mutex(Stage.handshake)

    init(limiter: ConnectionLimiter, block: AddressBlock, number: UInt64) {
        self.limiter = limiter
        self.block = block
        self.number = number
    }

    /// TLS stands. Later calls do nothing.
    public func secured() {
        let isFirst = self.stage.withLock { stage in
            guard stage == .handshake else { return false }
            stage = .secured
            return true
        }
        if isFirst { self.limiter.secured(self.block, number: self.number) }
    }

    /// The connection is gone. Later calls do nothing.
    public func release() {
        let before = self.stage.withLock { stage in
            let before = stage
            stage = .released
            return before
        }
        if before == .handshake { self.limiter.secured(self.block, number: self.number) }
        if before != .released { self.limiter.release(self.block) }
    }
}
