import GatewayCore
import Logging

extension OutboxWorker {
    /// Tells readers of events, and the log, how a destination stands from now on.
    func tell(_ change: BridgeChange, of name: String, _ state: OutboxStatistics.State) {
        self.outbox.ledger.update(name) { $0.state = state }
        self.outbox.events.publish(.bridge(name: name, change))
        switch change {
        case .down(let reason):
            self.outbox.logger.warning(
                "A bridge cannot be reached; messages wait", metadata: ["bridge": "\(name)", "reason": "\(reason)"])
        case .disabled(let reason):
            self.outbox.logger.error(
                "A bridge wants nothing any more; messages wait until it is resumed",
                metadata: ["bridge": "\(name)", "reason": "\(reason)"])
        default: self.outbox.logger.notice("A bridge can be reached again", metadata: ["bridge": "\(name)"])
        }
    }
}
