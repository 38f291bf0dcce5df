import Synchronization

/// Numbers a sender's requests on one channel: from 1 as a rule, in all namespaces together (protocol notes, 7).
///
/// Whoever opens the channel anew goes on counting, since a device may still know the numbers of the channel before.
public final class RequestCounter: Sendable {
    private let last: Atomic<Int32>

    /// Starts with a number above 0: far from 1 where others count on the same channel.
    public init(startingAt first: Int32 = 1) {
        self.last = Atomic(first - 1)
    }

    /// A number that was not given before.
    public func next() -> RequestID {
        let number = self.last.wrappingAdd(1, ordering: .relaxed).newValue
        // Receivers read numbers as 32 bits, and 0 is nobody's.
        guard number > 0 else {
            self.last.store(1, ordering: .relaxed)
            return 1
        }
        return RequestID(Int(number))
    }
}
