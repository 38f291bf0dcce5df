import CastTransport
import GatewayCore
package import GatewayOperations
package import Logging
import NIOCore
import Synchronization

/// Writes the audit log: lines of the component `Audit`, each with its `event`, which never changes.
///
/// Acts are written all. Refusals are written some times a minute for each address or caller; the next line counts those that were left
/// out, so that a flood of them does not flood the log.
package final class AuditLog: AuditTrail {
    /// Refusals of one address a minute.
    private static let linesPerMinute = 10

    private let logger: Logger
    private let throttle = Mutex(LogThrottle<String>(linesPerWindow: AuditLog.linesPerMinute))

    /// Writes to a logger.
    package init(_ logger: Logger) {
        self.logger = logger
    }

    /// Writes an entry.
    package func record(_ entry: AuditEntry) {
        var metadata: Logger.Metadata = ["event": "\(entry.event.rawValue)", "outcome": "\(entry.outcome)"]
        if let caller = entry.caller { metadata["caller"] = "\(caller)" }
        if let address = entry.address { metadata["address"] = "\(address)" }
        if let operation = entry.operation { metadata["operation"] = "\(operation)" }
        let level: Logger.Level
        switch entry.event {
        case .operationDone, .operationFailed, .tokenEnded, .joinCodeCreated, .joinCodeRevoked, .joinCodeExhausted,
            .guestJoined, .guestLeft:
            level = .notice
        case .requestRefused, .operationRefused, .joinRefused:
            let key = entry.address.map { AddressBlock($0).description } ?? entry.caller ?? ""
            level = self.throttle.withLock { $0.level(.notice, for: key, at: .now(), metadata: &metadata) }
        }
        self.logger.log(level: level, Self.message(entry.event), metadata: metadata)
    }

    private static func message(_ event: AuditEntry.Event) -> Logger.Message {
        switch event {
        case .requestRefused: "Request refused"
        case .operationRefused: "Operation refused"
        case .operationDone: "Operation done"
        case .operationFailed: "Operation not done"
        case .tokenEnded: "Token ended"
        case .joinCodeCreated: "Join code made"
        case .joinCodeRevoked: "Join code revoked"
        case .joinCodeExhausted: "Join code exhausted"
        case .guestJoined: "Guest joined"
        case .joinRefused: "Join code refused"
        case .guestLeft: "Guest left"
        }
    }
}
