import GatewayCore
import Synchronization

/// The depths of the operations that a plugin does: what it has done meanwhile is one deeper than the deepest, and follows from
/// the longest chain of messages that led to one of them, so that plugins which call each other come to an end.
final class OperationDepths: Sendable {
    private struct Call {
        let depth: Int
        let cause: MessageOrigin?
    }

    private let calls = Mutex<[String: Call]>([:])

    /// The plugin is asked for an operation.
    /// - Parameter cause: the message that led to it; nil for none.
    func began(_ call: String, at depth: Int, after cause: MessageOrigin?) {
        self.calls.withLock { $0[call] = Call(depth: depth, cause: cause) }
    }

    /// Its outcome has come, or is not awaited any more.
    func ended(_ call: String) { self.calls.withLock { _ = $0.removeValue(forKey: call) } }

    /// The depth of the deepest; 0 for none.
    var deepest: Int { self.calls.withLock { $0.values.map(\.depth).max() ?? 0 } }

    /// The longest chain of messages that led to what the plugin does.
    /// - Parameter cause: that of the messages which it handles.
    func cause(beside cause: MessageOrigin?) -> MessageOrigin? {
        let causes = self.calls.withLock { $0.values.compactMap(\.cause) }
        return (causes + [cause].compactMap(\.self)).max { $0.hops < $1.hops }
    }
}
