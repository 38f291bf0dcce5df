import GatewayCore
import Logging

extension CastSessionChange {
    /// What the log says of it, once per step of a session's life; nil for what is no such step.
    var logLine: (message: Logger.Message, reason: String?)? {
        switch self {
        case .didStart: ("Session started", nil)
        case .didFailToStart(let failure): ("Session not started", failure.message)
        case .didResume(let cause): ("Session resumed", "\(cause)")
        case .didFailToResume(let failure): ("Session not resumed", failure.message)
        case .didSuspend(let reason): ("Session suspended", reason.name)
        case .didEnd(let failure): ("Session ended", failure?.message)
        default: nil
        }
    }
}
