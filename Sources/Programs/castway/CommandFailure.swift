import CastClient
import CastWire
import GatewayCore

/// Ends a command with a status and one line on standard error.
struct CommandFailure: Error {
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
        self.init(status, MessageLanguage.sentence(error.code, error.message))
    }

    init(_ error: GatewayError) {
        // The name of the system call says nothing to a user.
        let reason = error.reason.replacing("bind(descriptor:ptr:bytes:): ", with: "")
        self.init(error.code == .listenFailed ? .addressUnusable : .internalError, reason)
    }
}

/// How a command ended, as the shell sees it; `sysexits.h` where it has a number.
enum ExitStatus: Int32, CaseIterable {
    case ok = 0
    case configurationInvalid = 1
    case warnings = 2
    case usage = 64
    case unreachable = 69
    case internalError = 70
    case stateUnusable = 73
    case outputUnusable = 74
    case timedOut = 75
    case refused = 76
    case addressUnusable = 98
    case hurried = 130

    var meaning: String {
        switch self {
        case .ok: "it is done"
        case .configurationInvalid: "the configuration has errors, or doctor found something that does not work"
        case .warnings: "the configuration has warnings, with --strict; or doctor has"
        case .usage: "the command line is wrong, or the input that it gives an operation"
        case .unreachable: "the device or the gateway cannot be reached, or was lost"
        case .internalError: "an error of Castway's own"
        case .stateUnusable: "the state directory or the root certificate cannot be used"
        case .outputUnusable: "a file, or standard output, cannot be written"
        case .timedOut: "the device or the gateway did not answer in time"
        case .refused: "the device or the gateway refused, or cannot do it now"
        case .hurried: "a second SIGTERM or SIGINT ended it at once"
        case .addressUnusable: "an address cannot be listened on, mostly because it is in use"
        }
    }

    /// The table for the help of a command, with those that it ends with.
    static func help(_ statuses: ExitStatus...) -> String { Self.help(statuses) }

    /// The table for the help.
    static func help(_ statuses: [ExitStatus]) -> String {
        let lines = statuses.map { status in
            let number = "\(status.rawValue)"
            return "  " + number + String(repeating: " ", count: 5 - number.count) + status.meaning
        }
        return "Exit status:\n" + lines.joined(separator: "\n")
    }
}
