import Synchronization

/// A value in force, which its readers look up whenever they need it, so that it may be replaced at any time.
package final class Current<Value: Sendable>: Sendable {
    private let stored: Mutex<Value>

    /// Begins with a value.
    package init(_ value: Value) { self.stored = Mutex(value) }

    /// The value as it is now.
    package var value: Value { self.stored.withLock { $0 } }

    /// Replaces the value.
    package func set(_ value: Value) { self.stored.withLock { $0 = value } }

    /// Changes the value.
    package func update(_ change: (inout Value) -> Void) { self.stored.withLock { change(&$0) } }
}
