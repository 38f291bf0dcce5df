import Synchronization

/// Numbers a sender's requests on one channel: from 1, in all namespaces together (protocol notes, 7).
///
/// Whoever opens the channel anew goes on counting, since a device may still know the numbers of the channel before.
public final class RequestCounter: Sendable {
    private let last = Atomic<Int32>(0)

    /// Starts at 1.
    public init() {}

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
