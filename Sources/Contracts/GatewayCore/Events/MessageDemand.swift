import CastWire
import Synchronization

/// Whether events of apps' own messages are wanted: what each message asks before an event is made of it.
///
/// An object of its own, to which no weak reference is ever made: those would make every use of it on the way of a message slower.
final class MessageDemand: Sendable {
    private enum Level {
        static let none = 0
        static let named = 1
        static let all = 2
    }

    private let level = Atomic(Level.none)
    private let named = Mutex(RecordedNamespaces())

    /// Sets what is wanted from now on.
    /// - Parameters:
    ///   - all: every message.
    ///   - named: the namespaces whose messages are wanted in any case.
    func set(all: Bool, named: RecordedNamespaces) {
        self.named.withLock { $0 = named }
        self.level.store(all ? Level.all : named.isEmpty ? Level.none : Level.named, ordering: .relaxed)
    }

    /// Whether a message of an app's own is wanted.
    func wants(_ names: MessageNames) -> Bool {
        switch self.level.load(ordering: .relaxed) {
        case Level.none: false
        case Level.named: names.namespace.family == .custom && self.named.withLock { $0.contains(names.namespace) }
        default: true
        }
    }
}
