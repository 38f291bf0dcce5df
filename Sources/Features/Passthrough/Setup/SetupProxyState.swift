import CastWire
import Synchronization

/// The state of the set-up port of a device that is passed through: where it asks, what it passes on, and how many
/// requests are under way.
final class SetupProxyState: Sendable {
    private struct State {
        var host: String?
        var iconPath: String?
        var paths = SetupPaths()
        var underWay = 0
    }

    private let state = Mutex(State())

    /// Takes where the real device is now; nil while it is away.
    func follow(host: String?, iconPath: String?) {
        self.state.withLock { state in
            // Another device may stand there, with other pictures; news of the same one change nothing.
            if state.host != host || state.iconPath != iconPath { state.paths.follow(iconPath: iconPath) }
            state.host = host
            state.iconPath = iconPath
        }
    }

    /// The meaning of a target; nil for what is not passed on.
    func wanted(_ target: String) -> SetupPaths.Wanted? { self.state.withLock { $0.paths.wanted(target) } }

    /// Takes the pictures that the device names.
    func learn(_ information: JSONValue) {
        self.state.withLock { $0.paths.learn(information) }
    }

    /// Begins a request.
    /// - Parameter most: how many may be under way.
    /// - Returns: where to ask; nil when the device is away, or it is asked enough already. Otherwise ``end()`` follows.
    func begin(most: Int) -> String? {
        self.state.withLock { state in
            guard state.underWay < most, let host = state.host else { return nil }
            state.underWay += 1
            return host
        }
    }

    func end() {
        self.state.withLock { $0.underWay -= 1 }
    }
}
