package import CastWire
package import GatewayCore
import SystemPrimitives

/// What an error of the gateway, or the failure of a device, is to a caller: its code, and the one HTTP status that the code has.
///
/// It is the only place that says so. Codes that an operation makes up for itself stand beside it, in its `problems`; a test
/// finds codes with two statuses.
struct ProblemStatus {
    let code: String
    let status: Int

    private init(_ code: String, _ status: Int) {
        self.code = code
        self.status = status
    }

    /// What an error of the gateway is.
    init(_ code: GatewayError.Code) {
        switch code {
        case .unknownDevice, .unknownSession: self.init("\(code)", 404)
        case .handlerExists, .claimConflict, .unsupportedNamespace, .restartRequired, .reloadFailed:
            self.init("\(code)", 409)
        case .configurationInvalid, .invalidClaim, .reservedNamespace: self.init("\(code)", 422)
        case .messageLoop: self.init("\(code)", 508)
        case .unavailable: self.init("\(code)", 503)
        case .handlerTimedOut: self.init("\(code)", 504)
        case .handlerFailed, .listenFailed: self.init("\(code)", 502)
        default: self = Self.failed
        }
    }

    /// What the failure of a device, a session or a request is; nil for one that has no code of its own.
    init?(_ code: CastErrorCode) {
        switch code {
        case .invalidRequest: self.init(code.name, 422)
        case .messageTooBig: self.init(code.name, 413)
        case .applicationNotFound: self.init(code.name, 404)
        case .notAllowed, .deviceAuthorizationFailure: self.init(code.name, 403)
        case .invalidState, .unsupportedFeature, .applicationNotRunning, .noMediaSession, .invalidMediaPlayerState,
            .joinApplicationMismatch, .joinSessionMismatch, .resumeApplicationMismatch, .resumeSessionMismatch,
            .resumeDeviceMismatch, .sessionNotActive, .launchCancelled, .duplicateRequest:
            self.init(code.name, 409)
        case .mediaLoadFailed, .mediaError, .invalidResponse, .deviceAuthenticationFailure: self.init(code.name, 502)
        case .cancelled, .sendBufferFull, .maxUsersConnected: self.init(code.name, 503)
        case .timeout: self.init(code.name, 504)
        case .replaced: self.init("superseded", 409)
        case .appDidEnterBackground: self.init("session_not_active", 409)
        case .disconnected, .networkError: self.init("outcome_unknown", 504)
        case .deviceNotConnected, .channelNotConnected, .networkNotReachable: self.init("device_not_connected", 504)
        default: return nil
        }
    }

    /// Every other failure.
    static let failed = ProblemStatus("request_failed", 502)
}

extension OperationProblem {
    /// The problem that an error of the gateway is.
    package init(_ error: GatewayError, members: JSONObject = [:]) {
        if let code = CastErrorCode.allCases.first(where: { GatewayError.Code($0) == error.code }) {
            self.init(deviceFailure: code, error.reason, members: members)
        } else {
            let problem = ProblemStatus(error.code)
            self.init(problem.code, status: problem.status, error.reason, members: members)
        }
    }

    /// The problem that the failure of a device, a session or a request is.
    /// - Parameters:
    ///   - code: of the failure, whose number is `cast_code`; one that no problem is called after becomes `cause` of `request_failed`.
    ///   - text: the failure in a sentence.
    ///   - members: what the device said.
    package init(deviceFailure code: CastErrorCode, _ text: String, members: JSONObject = [:]) {
        var members = members
        // A channel that is lost before the command was sent left nothing open: questions have a device do nothing.
        let isLost = code == .disconnected || code == .networkError
        let wasSent = CommandTrace.current?.wasSent ?? true
        let problem = ProblemStatus(isLost && !wasSent ? .deviceNotConnected : code)
        if problem == nil { members["cause"] = .string(code.name) }
        members["cast_code"] = .number(code.rawValue)
        self.init(
            problem?.code ?? ProblemStatus.failed.code, status: problem?.status ?? ProblemStatus.failed.status, text,
            members: members)
    }
}
