import GatewayCore
import NIOCore

/// Decides when a plugin is started, stopped and started again. Knows no process and no clock: instants are passed in.
struct PluginStateMachine: Sendable {
    enum Event: Sendable {
        /// It shall run: the gateway starts, or the operator switches it on.
        case start
        /// It shall not run any more: the gateway stops, or the operator switches it off.
        case stop(PluginState)
        /// It shall run anew, whatever it does now.
        case restart
        /// It may be tried again, since its configuration changed.
        case reconfigured
        /// Another process shall run, since its configuration changed.
        case replaced
        /// A process that was tried out takes the place of the one that runs, or of none, and answers messages.
        case swapped(version: String)
        /// It was initialized and started, and answers messages.
        case becameReady(version: String)
        /// Its health changed: what is wrong, or nil when nothing is.
        case healthChanged(String?)
        /// Nothing of its process is left. `random` lies between -1 and 1.
        case ended(PluginEnd, lines: [String], random: Double)
        case pauseEnded(Int)
    }

    enum Action: Sendable, Hashable {
        case launch
        /// Let the process end what it is doing, and end it.
        case drain
        /// Calls back with ``Event/pauseEnded(_:)``.
        case pause(Duration, Int)
        case publish(PluginChange)
    }

    /// The number of crashes within the window by which a plugin counts as looping.
    static let crashLimit = 8
    static let crashWindow = TimeAmount.minutes(10)
    /// The pause of a plugin that loops.
    static let longPause = Duration.seconds(300)
    /// The part of a pause by which it varies, so that plugins that fell together do not rise together.
    static let jitter = 0.2
    /// The status of a plugin that cannot work with its configuration: sysexits(3), EX_CONFIG.
    static let badConfigurationStatus: Int32 = 78

    private(set) var state = PluginState.verified
    /// The reason the state is what it is, for people.
    private(set) var reason: String?
    /// The number of restarts since the gateway began.
    private(set) var restartCount = 0
    /// The same by how the process ended before: `exited`, `signalled`, `failed`, or `requested`.
    private(set) var restarts: [String: Int] = [:]
    /// The last end of a process.
    private var lastEnd = PluginEnd.requestedLabel
    private(set) var policy: PluginRestart

    private var crashes: [NIODeadline] = []
    /// Crashes since it was last well for long.
    private var streak = 0
    private var readySince: NIODeadline?
    private var pauseNumber = 0
    /// The state that follows when the process that drains has ended; nil for a start.
    private var goal: PluginState?
    private var hasProcess = false
    private var isLooping = false
    private var hasStarted = false

    init(policy: PluginRestart) {
        self.policy = policy
    }

    mutating func follow(_ policy: PluginRestart) {
        self.policy = policy
    }

    mutating func handle(_ event: Event, at now: NIODeadline) -> [Action] {
        switch event {
        case .start: return self.begin()
        case .stop(let goal): return self.stop(goal)
        case .restart:
            guard self.hasProcess else {
                self.crashes = []
                self.streak = 0
                return self.launch()
            }
            self.goal = nil
            return self.drain()
        case .reconfigured:
            guard !self.hasProcess else { return [] }
            return self.handle(.replaced, at: now)
        case .replaced:
            // The operator switched it off, and has to switch it on again.
            guard self.state != .disabled, self.goal != .disabled else { return [] }
            return self.handle(.restart, at: now)
        case .becameReady(let version):
            guard self.state == .starting else { return [] }
            self.state = .ready
            self.reason = nil
            self.readySince = now
            return [.publish(.ready(version: version))]
        case .swapped(let version):
            self.hasStarted = true
            self.hasProcess = true
            self.goal = nil
            self.pauseNumber += 1
            self.state = .ready
            self.reason = nil
            self.readySince = now
            self.crashes = []
            self.streak = 0
            return [.publish(.ready(version: version))]
        case .healthChanged(let reason): return self.changeHealth(reason)
        case .ended(let end, let lines, let random): return self.ended(end, lines, random, at: now)
        case .pauseEnded(let number):
            guard number == self.pauseNumber, self.state == .backoff || self.state == .crashlooped else { return [] }
            return self.launch()
        }
    }

    private mutating func begin() -> [Action] {
        switch self.state {
        case .verified, .stopped, .disabled, .backoff, .crashlooped: return self.launch()
        case .draining:
            self.goal = nil
            return []
        case .starting, .ready, .degraded: return []
        }
    }

    private mutating func launch() -> [Action] {
        if self.hasStarted {
            self.restartCount += 1
            self.restarts[self.lastEnd, default: 0] += 1
        }
        self.hasStarted = true
        self.state = .starting
        self.reason = nil
        self.goal = nil
        self.hasProcess = true
        self.readySince = nil
        self.pauseNumber += 1
        return [.launch]
    }

    private mutating func stop(_ goal: PluginState) -> [Action] {
        self.goal = goal
        guard self.hasProcess else {
            let isNews = self.state != goal && self.state != .stopped && self.state != .disabled
            self.state = goal
            self.reason = nil
            self.pauseNumber += 1
            return isNews ? [.publish(.stopped(reason: Self.words(goal)))] : []
        }
        return self.drain()
    }

    private mutating func drain() -> [Action] {
        guard self.state != .draining else { return [] }
        self.state = .draining
        return [.drain]
    }

    private mutating func changeHealth(_ reason: String?) -> [Action] {
        switch (self.state, reason) {
        case (.ready, .some(let reason)):
            self.state = .degraded
            self.reason = reason
            return [.publish(.degraded(reason: reason))]
        case (.degraded, nil):
            self.state = .ready
            self.reason = nil
            return [.publish(.degraded(reason: nil))]
        case (.degraded, .some(let reason)): self.reason = reason
        default: break
        }
        return []
    }

    private mutating func ended(
        _ end: PluginEnd, _ lines: [String], _ random: Double, at now: NIODeadline
    ) -> [Action] {
        guard self.hasProcess else { return [] }
        self.hasProcess = false
        defer { self.readySince = nil }
        self.lastEnd = self.state == .draining ? PluginEnd.requestedLabel : end.label
        if self.state == .draining {
            guard let goal else { return self.launch() }
            self.state = goal
            self.reason = nil
            return [.publish(.stopped(reason: Self.words(goal)))]
        }
        switch end {
        case .badConfiguration, .unusable, .exited(Self.badConfigurationStatus):
            self.state = .stopped
            self.reason = end.description
            return [.publish(.stopped(reason: "\(end.description); it is tried again after a reload"))]
        case .exited(0) where self.policy.policy == .onFailure:
            self.state = .stopped
            self.reason = "it ended by itself"
            return [.publish(.stopped(reason: "it ended by itself"))]
        default: return self.crashed(end, lines, random, at: now)
        }
    }

    private mutating func crashed(
        _ end: PluginEnd, _ lines: [String], _ random: Double, at now: NIODeadline
    ) -> [Action] {
        if let readySince, now - readySince >= TimeAmount(self.policy.healthyAfter) { self.streak = 0 }
        self.crashes = self.crashes.filter { now - $0 < Self.crashWindow } + [now]
        self.reason = end.description
        self.pauseNumber += 1
        var actions = [Action.publish(.crashed(reason: end.description, lines: lines))]
        guard self.crashes.count <= Self.crashLimit else {
            if !self.isLooping { actions.append(.publish(.crashlooped(reason: end.description))) }
            self.isLooping = true
            self.state = .crashlooped
            return actions + [.pause(Self.varied(Self.longPause, random), self.pauseNumber)]
        }
        self.isLooping = false
        self.state = .backoff
        let doublings = min(self.streak, 30)
        self.streak += 1
        let pause = min(self.policy.initial * (1 << doublings), self.policy.maximum)
        return actions + [.pause(Self.varied(pause, random), self.pauseNumber)]
    }

    private static func varied(_ pause: Duration, _ random: Double) -> Duration {
        pause * (1 + Self.jitter * min(max(random, -1), 1))
    }

    private static func words(_ goal: PluginState) -> String {
        goal == .disabled ? "it was switched off" : "it is not needed any more"
    }
}

/// The state of a plugin. Raw values are shown and never change.
package enum PluginState: String, Sendable, Hashable, CaseIterable {
    /// Its manifest was read and checked; it has not been started.
    case verified
    case starting
    case ready
    /// It answers messages, and reports a fault.
    case degraded
    /// It ends what it is doing, and is given nothing new.
    case draining
    /// It ended, and is not started again by itself.
    case stopped
    /// It crashed, and is started again after a pause.
    case backoff
    /// It crashed again and again, and is tried at long intervals.
    case crashlooped
    /// The operator switched it off.
    case disabled
}

/// The end of a plugin's process.
enum PluginEnd: Hashable, Sendable {
    /// By itself, with this status.
    case exited(Int32)
    case signalled(Int32)
    /// It cannot work with its configuration.
    case badConfiguration(String)
    /// It cannot be run as it is, and trying again would change nothing.
    case unusable(String)
    /// It was ended, or could not even begin, for this reason.
    case failed(String)

    /// The label for the end of a process that was asked to end.
    static let requestedLabel = "requested"

    /// The end in one of few words, which never change.
    var label: String {
        switch self {
        case .exited: "exited"
        case .signalled: "signalled"
        case .badConfiguration, .unusable, .failed: "failed"
        }
    }

    var description: String {
        switch self {
        case .exited(let code): "it exited with status \(code)"
        case .signalled(let number): "signal \(number) ended it"
        case .badConfiguration(let reason): "it cannot work with its configuration: \(reason)"
        case .unusable(let reason), .failed(let reason): reason
        }
    }
}
