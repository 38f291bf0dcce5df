internal import Logging
internal import Synchronization

/// The level of one component, read by every call of a logger: one load, no lock.
final class ComponentLevel: Sendable {
    private static let levels = Logger.Level.allCases

    private let index: Atomic<Int>

    init(_ level: Logger.Level) {
        self.index = Atomic(Self.index(of: level))
    }

    var level: Logger.Level { Self.levels[self.index.load(ordering: .relaxed)] }

    func set(_ level: Logger.Level) {
        self.index.store(Self.index(of: level), ordering: .relaxed)
    }

    private static func index(of level: Logger.Level) -> Int {
        self.levels.firstIndex(of: level) ?? 0
    }
}
