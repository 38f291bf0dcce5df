package import NIOCore

/// Which levels the log has: those of the file, or for a time some that an operator has set in front of them.
///
/// What was set outlives a reload: the new `log` holds for what was not set, and for everything when the time is over.
package struct LogLevelsStateMachine {
    package enum Event {
        /// A configuration is in force.
        case configured(LogConfiguration)
        /// Levels are set until an instant, in the place of those that were set before; none is back to the file.
        case set([LogLevelRule], until: NIODeadline)
        /// It is as late as this.
        case timePassed(NIODeadline)
    }

    package enum Action: Equatable {
        /// The log goes by this from now on.
        case apply(LogConfiguration)
        /// Time passes then.
        case wake(at: NIODeadline)
        /// No instant is waited for.
        case rest
    }

    /// Levels that were set.
    package struct Override: Equatable {
        /// The first that matches decides, and the file where none does.
        package var levels: [LogLevelRule]
        /// When they are over.
        package var until: NIODeadline
    }

    /// `log` of the file.
    package private(set) var configured: LogConfiguration
    /// What was set and is not over; nil for nothing.
    package private(set) var override: Override?

    package init(_ configured: LogConfiguration) {
        self.configured = configured
    }

    /// What the log goes by.
    package var effective: LogConfiguration {
        var log = self.configured
        log.levels = (self.override?.levels ?? []) + log.levels
        return log
    }

    package mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .configured(let log):
            self.configured = log
            return [.apply(self.effective)]
        case .set(let levels, let until):
            self.override = levels.isEmpty ? nil : Override(levels: levels, until: until)
            return [.apply(self.effective), levels.isEmpty ? .rest : .wake(at: until)]
        case .timePassed(let now):
            guard let override, override.until <= now else { return [] }
            self.override = nil
            return [.apply(self.effective), .rest]
        }
    }
}
