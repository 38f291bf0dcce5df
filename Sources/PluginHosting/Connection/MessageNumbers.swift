import Synchronization

/// Numbers the messages that plugins are asked about, for all plugins of a gateway together.
final class MessageNumbers: Sendable {
    private let last = Atomic<UInt64>(0)

    /// The next message's id, such as `m-17`.
    func next() -> String {
        "m-\(self.last.wrappingAdd(1, ordering: .relaxed).newValue)"
    }
}
