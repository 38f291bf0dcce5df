import CastClient
import CastWire
import GatewayCore

/// Ends a command with a status and one line on standard error.
struct CommandFailure: Error {
    /// What the shell sees.
    let status: ExitStatus
    /// What people see; empty when everything is said already.
    let message: String

    init(_ status: ExitStatus, _ message: String = "") {
        self.status = status
        self.message = message
    }

    init(_ error: RequestError) {
        let status: ExitStatus =
            switch error.code {
            case .timeout where error.reason == nil: .timedOut
            case .networkError, .channelNotConnected, .sessionNotActive, .deviceNotConnected, .disconnected:
                .unreachable
            case .invalidRequest where error.reason == nil, .messageTooBig: .usage
            default: .refused
            }
        self.init(status, error.message)
    }

    init(_ error: GatewayError) {
        // The name of the system call helps nobody who reads one line.
        let reason = error.reason.replacing("bind(descriptor:ptr:bytes:): ", with: "")
        self.init(error.code == .listenFailed ? .addressUnusable : .internalError, reason)
    }
}
