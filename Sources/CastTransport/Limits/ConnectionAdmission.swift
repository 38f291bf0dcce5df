import Synchronization

/// A connection that ``ConnectionLimiter`` counts: told when something whole has come, when it is idle again, and once
/// when the connection is gone.
public final class ConnectionAdmission: Sendable {
    private enum Stage {
        /// Nothing whole has come since this entry in the limiter's list; it may have to give way.
        case pending(number: UInt64)
        case secured
        case released
    }

    private let limiter: ConnectionLimiter
    private let block: AddressBlock
    private let evict: @Sendable () -> Void
    private let stage: Mutex<Stage>

    init(
        limiter: ConnectionLimiter, block: AddressBlock, number: UInt64, evict: @escaping @Sendable () -> Void
    ) {
        self.limiter = limiter
        self.block = block
        self.evict = evict
        self.stage = Mutex(.pending(number: number))
    }

    /// Something whole has come: TLS stands on a Cast channel, or a request is complete. It does not give way any more.
    public func secured() {
        let number: UInt64? = self.stage.withLock { stage in
            guard case .pending(let number) = stage else { return nil }
            stage = .secured
            return number
        }
        if let number { self.limiter.secured(self.block, number: number) }
    }

    /// The connection is kept for another request and does nothing meanwhile, so it may give way again.
    public func idle() {
        self.stage.withLock { stage in
            guard case .secured = stage else { return }
            stage = .pending(number: self.limiter.pending(self.block, evict: self.evict))
        }
    }

    /// The connection is gone. Later calls do nothing.
    public func release() {
        let before = self.stage.withLock { stage in
            let before = stage
            stage = .released
            return before
        }
        if case .released = before { return }
        if case .pending(let number) = before { self.limiter.secured(self.block, number: number) }
        self.limiter.release(self.block)
    }
}
