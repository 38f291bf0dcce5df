import Synchronization

/// The settings in force of one device that is passed through; its listeners read them for every connection.
final class CurrentPassthrough: Sendable {
    private let values: Mutex<(settings: PassthroughSettings, environment: PassthroughEnvironment)>
    private let last = Mutex(PassthroughState.away)

    init(_ settings: PassthroughSettings, _ environment: PassthroughEnvironment) {
        self.values = Mutex((settings, environment))
    }

    var both: (PassthroughSettings, PassthroughEnvironment) { self.values.withLock { ($0.settings, $0.environment) } }
    var settings: PassthroughSettings { self.values.withLock { $0.settings } }
    var environment: PassthroughEnvironment { self.values.withLock { $0.environment } }

    /// How the device said last that it is.
    var state: PassthroughState { self.last.withLock { $0 } }

    /// Takes how the device is.
    func tell(_ state: PassthroughState) {
        self.last.withLock { $0 = state }
    }

    func replace(_ settings: PassthroughSettings, _ environment: PassthroughEnvironment) {
        self.values.withLock { $0 = (settings, environment) }
    }
}
