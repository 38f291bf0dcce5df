package import CastTransport
package import Logging
package import NIOCore
import Synchronization

/// Tells a shortage of descriptors from the many attempts that fail for it.
///
/// All listeners run into it together, and each tries again every second; the log is to say once that it began and once
/// that it is over. At the brink, where one connection comes in and the next fails, it says so once a minute.
package struct AcceptShortage {
    /// What to do.
    package enum Action: Equatable {
        case none
        /// It began.
        case warn
        /// It is over; so many attempts failed.
        case tellEnd(failures: Int)
    }

    private static let pause = TimeAmount.minutes(1)

    private var failures = 0
    private var isTold = false
    private var lastTold: NIODeadline?

    /// Starts with room.
    package init() {}

    /// True from a failure to the next success.
    package var isShort: Bool { self.failures > 0 }

    /// An attempt failed.
    package mutating func failed(at now: NIODeadline) -> Action {
        self.failures += 1
        guard !self.isTold, self.lastTold.map({ now >= $0 + Self.pause }) ?? true else { return .none }
        self.isTold = true
        self.lastTold = now
        return .warn
    }

    /// A connection was accepted.
    package mutating func accepted() -> Action {
        let action: Action = self.isTold ? .tellEnd(failures: self.failures) : .none
        self.failures = 0
        self.isTold = false
        return action
    }
}

/// Logs that no sender can be accepted for a while, over all virtual devices.
package final class AcceptShortageLog: Sendable {
    private let logger: Logger
    private let shortage = Mutex(AcceptShortage())

    /// - Parameter logger: for what concerns all devices.
    package init(logger: Logger) {
        self.logger = logger
    }

    /// Takes what became of one attempt to accept a connection.
    package func note(_ outcome: AcceptOutcome) {
        switch outcome {
        case .accepted: self.perform(self.shortage.withLock { $0.isShort ? $0.accepted() : .none }, reason: "")
        case .failed(let reason): self.perform(self.shortage.withLock { $0.failed(at: .now()) }, reason: reason)
        }
    }

    private func perform(_ action: AcceptShortage.Action, reason: String) {
        switch action {
        case .none: break
        case .warn:
            self.logger.error(
                "New senders cannot be accepted; those that are connected are served, and it is tried again",
                metadata: ["reason": "\(reason)"])
        case .tellEnd(let failures):
            self.logger.notice(
                "New senders are accepted again", metadata: ["failed_attempts": .stringConvertible(failures)])
        }
    }
}
