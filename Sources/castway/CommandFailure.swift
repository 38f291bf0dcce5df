import CastClient
import CastWire
import DeviceSessions
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

    init(_ error: SenderError) {
        let status: ExitStatus =
            switch error {
            case .unreachable, .disconnected: .unreachable
            case .timedOut: .timedOut
            case .messageTooLong: .usage
            case .connectionClosed, .launchRefused, .refused: .refused
            case .appNotRunning, .noMediaApp: .refused
            }
        self.init(status, error.description)
    }

    init(_ error: RequestError) {
        let status: ExitStatus =
            switch error.code {
            case .timeout: .timedOut
            case .networkError, .channelNotConnected, .sessionNotActive: .unreachable
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
