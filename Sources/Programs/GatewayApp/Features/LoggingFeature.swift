import FeatureContract
import GatewayLogging
import GatewayOperations
import GatewaySettings
import NIOCore
import Synchronization

/// `log` of `gateway.yaml`: a reload puts it in force; the start of the process has done so before the gateway is made. An
/// operator may have other levels for a time.
final class LoggingFeature: OperatingFeature {
    private struct State {
        var machine: LogLevelsStateMachine
        var timer: Scheduled<Void>?
    }

    let name = "logging"
    private let context: GatewayContext
    private let apply: @Sendable (LogConfiguration) -> Void
    private let eventLoop: any EventLoop
    private let state: Mutex<State>

    /// - Parameter apply: puts a changed `log` in force.
    init(_ context: GatewayContext, apply: @escaping @Sendable (LogConfiguration) -> Void) {
        self.context = context
        self.apply = apply
        self.eventLoop = context.eventLoops.any()
        self.state = Mutex(State(machine: LogLevelsStateMachine(context.configuration.current.log)))
        LoggingSetup.attach(context.events, on: self.eventLoop)
    }

    func prepare(_ change: inout ConfigurationChange) -> PreparedChange? {
        let log = change.new.log
        return PreparedChange(commit: { self.handle(.configured(log)) })
    }

    func close() {
        self.state.withLock { $0.timer }?.cancel()
        LoggingSetup.attach(nil, on: self.eventLoop)
    }

    private func handle(_ event: LogLevelsStateMachine.Event) {
        // One at a time, so that what is applied last is what holds.
        self.state.withLock { state in
            for action in state.machine.handle(event) {
                switch action {
                case .apply(let log): self.apply(log)
                case .wake(let instant):
                    state.timer?.cancel()
                    state.timer = self.eventLoop.scheduleTask(deadline: instant) { [weak self] in
                        self?.handle(.timePassed(.now()))
                    }
                case .rest:
                    state.timer?.cancel()
                    state.timer = nil
                }
            }
        }
    }

    // MARK: Operations

    static let offered: [Offer<LoggingFeature>] = [
        Offer { GetLog(feature: $0, context: $0.context) },
        Offer { SetLog(feature: $0, context: $0.context) },
    ]

    /// What holds, and what of it was set.
    var levels: LogLevelsStateMachine { self.state.withLock { $0.machine } }

    /// Sets levels for a time, in front of those of the file and in the place of what was set before; none is back to the file.
    func set(_ levels: [LogLevelRule], for time: TimeAmount) {
        self.handle(.set(levels, until: .now() + time))
    }
}
