import Synchronization

/// Counts senders' connections, over all listeners, in total and per address.
public final class ConnectionLimiter: Sendable {
    private struct State {
        var maximumTotal: Int
        var maximumPerAddress: Int
        var total = 0
        var perAddress: [String: Int] = [:]
    }

    /// Why a connection was turned away.
    public enum Refusal: String, Error, Hashable, Sendable {
        /// The gateway has as many as it may.
        case tooManyInTotal = "too many connections"
        /// The address has as many as it may.
        case tooManyFromAddress = "too many connections from this address"
    }

    private let state: Mutex<State>

    /// Sets the limits.
    public init(maximumTotal: Int, maximumPerAddress: Int) {
        self.state = Mutex(State(maximumTotal: maximumTotal, maximumPerAddress: maximumPerAddress))
    }

    /// Changes the limits for connections to come; none is closed.
    public func limit(total: Int, perAddress: Int) {
        self.state.withLock { state in
            state.maximumTotal = total
            state.maximumPerAddress = perAddress
        }
    }

    /// Counts a connection in.
    /// - Throws: ``Refusal`` when it is one too many; it is not counted then.
    public func admit(_ address: String) throws(Refusal) {
        let refusal: Refusal? = self.state.withLock { state in
            if state.total >= state.maximumTotal { return .tooManyInTotal }
            let count = state.perAddress[address, default: 0]
            if count >= state.maximumPerAddress { return .tooManyFromAddress }
            state.total += 1
            state.perAddress[address] = count + 1
            return nil
        }
        if let refusal { throw refusal }
    }

    /// Counts a connection out that was counted in.
    public func release(_ address: String) {
        self.state.withLock { state in
            state.total -= 1
            let count = state.perAddress[address, default: 0] - 1
            state.perAddress[address] = count > 0 ? count : nil
        }
    }

    /// How many are counted in now.
    public var count: Int { self.state.withLock { $0.total } }
}
