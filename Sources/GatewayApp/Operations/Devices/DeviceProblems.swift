import CastClient
import CastWire
import GatewayCore
import GatewayOperations

/// The problems of operations on devices, and which failure of a device is which.
enum DeviceProblem {
    /// Of every operation that names a device.
    static let named = [
        OperationProblemCase("unknown_device", 404, "there is no such device"),
        OperationProblemCase(
            "ambiguous_device", 409, "several devices go by that; `choices` has what to write instead"),
    ]

    /// Of every operation that asks a device something.
    static let asked =
        Self.named + [
            OperationProblemCase("invalid_request", 422, "the device, or the app, cannot do what the input says"),
            OperationProblemCase("device_not_connected", 504, "the device is out of reach, and nothing was sent"),
            OperationProblemCase(
                "outcome_unknown", 504,
                "the device was lost after the request was sent: it may have carried it out, or not"),
            OperationProblemCase("timeout", 504, "the device did not answer in time"),
            OperationProblemCase("superseded", 409, "a newer request took the place of this one"),
            OperationProblemCase("cancelled", 503, "the caller does not wait any more, or the gateway stops"),
            OperationProblemCase("not_allowed", 502, "the device refuses; `reason` is its own word"),
            OperationProblemCase("unsupported_feature", 409, "the device, or the app, cannot do this at all"),
            OperationProblemCase("send_buffer_full", 503, "too much waits for the device"),
            OperationProblemCase("message_too_big", 413, "the message is longer than devices take"),
            OperationProblemCase("request_failed", 502, "the device refuses for another reason; `cause` is its code"),
        ]

    /// Of every operation that asks an app something.
    static let app =
        Self.asked + [
            OperationProblemCase("application_not_running", 409, "no app runs that could be asked"),
            OperationProblemCase("session_not_active", 409, "the session is suspended, or over"),
        ]

    /// Of every operation on media.
    static let media =
        Self.app + [
            OperationProblemCase("no_media_session", 409, "nothing is loaded"),
            OperationProblemCase("invalid_media_player_state", 409, "the player cannot do this now"),
            OperationProblemCase("media_load_failed", 502, "the app cannot play it; `detailed_error` is its number"),
            OperationProblemCase("media_error", 502, "playback failed"),
        ]
}

// The one place where failures of devices become problems.
extension OperationProblem {
    private static let statuses: [CastErrorCode: Int] = [
        .invalidRequest: 422, .timeout: 504, .cancelled: 503, .notAllowed: 502, .invalidState: 409,
        .unsupportedFeature: 409, .sendBufferFull: 503, .messageTooBig: 413, .applicationNotRunning: 409,
        .applicationNotFound: 502, .noMediaSession: 409, .invalidMediaPlayerState: 409, .mediaLoadFailed: 502,
        .mediaError: 502, .joinSessionMismatch: 409, .resumeSessionMismatch: 409, .resumeApplicationMismatch: 409,
    ]

    /// - Parameters:
    ///   - code: of the failure.
    ///   - text: the failure in a sentence.
    ///   - members: what the device said.
    init(deviceFailure code: CastErrorCode, _ text: String, members: JSONObject = [:]) {
        switch code {
        case .replaced: self.init("superseded", status: 409, text, members: members)
        case .disconnected, .networkError: self.init("outcome_unknown", status: 504, text, members: members)
        case .deviceNotConnected, .channelNotConnected, .networkNotReachable:
            self.init("device_not_connected", status: 504, text, members: members)
        case .sessionNotActive: self.init("session_not_active", status: 409, text, members: members)
        default:
            if let status = Self.statuses[code] {
                self.init(code.name, status: status, text, members: members)
            } else {
                var members = members
                members["cause"] = .string(code.name)
                self.init("request_failed", status: 502, text, members: members)
            }
        }
    }

    /// What a request's failure is to a caller.
    init(_ error: RequestError) {
        var members: JSONObject = [:]
        if let reason = error.reason ?? error.extendedError { members["reason"] = .string(reason) }
        if let code = error.detailedCode { members["detailed_error"] = .number(code.rawValue) }
        if let item = error.itemID { members["item_id"] = .number(item) }
        if let app = error.runningApp { members["running_app"] = .string(app.rawValue) }
        self.init(deviceFailure: error.code, error.message, members: members)
    }

    /// What a session's failure is to a caller; `reason` is the device's own word.
    init(_ failure: SessionFailure) {
        var members: JSONObject = [:]
        if let reason = failure.reason { members["reason"] = .string(reason) }
        if let app = failure.app { members["running_app"] = .string(app.rawValue) }
        self.init(deviceFailure: failure.code, failure.message, members: members)
    }

    /// What became of a message to a virtual device.
    init(virtualDevice error: GatewayError) {
        switch error.code {
        case .unknownSession: self.init("application_not_running", status: 409, error.reason)
        case .messageLoop: self.init(deviceFailure: .sendBufferFull, error.reason)
        default:
            guard let code = CastErrorCode.allCases.first(where: { GatewayError.Code($0) == error.code }) else {
                self.init(error)
                return
            }
            self.init(deviceFailure: code, error.reason)
        }
    }
}
