import Synchronization

/// How deep the operations are that a plugin does: what it has done meanwhile is one deeper than the deepest, so that plugins which
/// call each other come to an end.
final class OperationDepths: Sendable {
    private let depths = Mutex<[String: Int]>([:])

    /// The plugin is asked for an operation.
    func began(_ call: String, at depth: Int) { self.depths.withLock { $0[call] = depth } }

    /// Its outcome has come, or is not awaited any more.
    func ended(_ call: String) { self.depths.withLock { _ = $0.removeValue(forKey: call) } }

    /// The depth of the deepest; 0 for none.
    var deepest: Int { self.depths.withLock { $0.values.max() ?? 0 } }
}
