public import GatewayConfig
public import GatewayCore

/// Why a new configuration was not put in force; the old one runs on.
public enum ReloadFailure: Error, Sendable, CustomStringConvertible {
    /// The configuration has errors.
    case invalid(ConfigReport)
    /// These keys differ, and cannot change while the gateway runs.
    case takesRestart([String])
    /// Something that the configuration needs could not be had: an address is taken, for example.
    case notPrepared(GatewayError)
    /// The gateway has no file to read, stops, or has too many reloads waiting.
    case unavailable(String)

    /// The error with its code, as on every surface.
    public var error: GatewayError {
        switch self {
        case .invalid(let report):
            let count = report.problems.count { $0.severity == .error } + report.droppedCount
            return GatewayError(
                .configurationInvalid, "the configuration has \(count) error\(count == 1 ? "" : "s")")
        case .takesRestart(let keys):
            return GatewayError(.restartRequired, "these keys take a restart: \(keys.joined(separator: ", "))")
        case .notPrepared(let error): return GatewayError(.reloadFailed, error.reason)
        case .unavailable(let reason): return GatewayError(.unavailable, reason)
        }
    }

    /// The reason in a sentence.
    public var description: String { self.error.reason }
}
