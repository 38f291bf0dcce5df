package import CastClient
import CastWire
package import GatewayCore
package import GatewayOperations

/// The problems of operations on devices, with when each comes.
package enum DeviceProblem {
    private static let unknown = OperationProblemCase("unknown_device", 404, "there is no such device")

    /// Of every operation that names a device.
    package static let named = [
        Self.unknown,
        OperationProblemCase(
            "ambiguous_device", 409, "several devices go by that; `choices` has what to write instead"),
    ]

    /// Of every operation that names a virtual device.
    package static let virtual = [
        Self.unknown,
        OperationProblemCase("not_virtual", 409, "the device is a real one, and no virtual one goes by that"),
    ]

    /// What comes of asking a device something.
    package static let asking = [
        OperationProblemCase("invalid_request", 422, "the device, or the app, cannot do what the input says"),
        OperationProblemCase("device_not_connected", 504, "the device is out of reach, and nothing was sent"),
        OperationProblemCase(
            "outcome_unknown", 504,
            "the device was lost after the request was sent: it may have carried it out, or not"),
        OperationProblemCase("timeout", 504, "the device did not answer in time"),
        OperationProblemCase("superseded", 409, "a newer request took the place of this one"),
        OperationProblemCase("cancelled", 503, "the caller does not wait any more, or the gateway stops"),
        OperationProblemCase("not_allowed", 403, "the device refuses; `reason` is its own word"),
        OperationProblemCase("device_authorization_failure", 403, "the device does not take this user"),
        OperationProblemCase("device_authentication_failure", 502, "the device could not prove that it is one"),
        OperationProblemCase("max_users_connected", 503, "the device has as many senders as it takes"),
        OperationProblemCase("duplicate_request", 409, "the device is doing the same already"),
        OperationProblemCase("invalid_response", 502, "the device answers with something that makes no sense"),
        OperationProblemCase("unsupported_feature", 409, "the device, or the app, cannot do this at all"),
        OperationProblemCase("send_buffer_full", 503, "too much waits for the device"),
        OperationProblemCase(
            "message_too_big", 413, "the message has more than \(CastMessage.maximumPayloadLength) bytes"),
        OperationProblemCase(
            "request_failed", 502,
            "the device refuses for another reason; `cause` is its word among the errors of devices and sessions"),
    ]

    /// What comes of asking an app something.
    package static let askingApp =
        Self.asking + [
            OperationProblemCase("application_not_running", 409, "no app runs that could be asked"),
            OperationProblemCase("session_not_active", 409, "the session is suspended, or over"),
            OperationProblemCase("join_session_mismatch", 409, "the app that was to be joined ended just now"),
            OperationProblemCase("invalid_state", 409, "other sessions with the device are started and ended just now"),
        ]

    /// Of every operation that names a device and asks it something.
    package static let asked = Self.named + Self.asking

    /// Of every operation that names a device and asks its app something.
    package static let app = Self.named + Self.askingApp

    /// Of every operation on media.
    package static let media =
        Self.app + [
            OperationProblemCase("no_media_session", 409, "nothing is loaded"),
            OperationProblemCase("invalid_media_player_state", 409, "the player cannot do this now"),
            OperationProblemCase("media_load_failed", 502, "the app cannot play it; `detailed_error` is its number"),
            OperationProblemCase("media_error", 502, "playback failed"),
        ]
}

extension OperationProblem {
    /// What an app adds to a refusal is passed on up to this length, as JSON in bytes: problems of requests are kept for a while.
    private static let maximumCustomData = 4096

    /// What a request's failure is to a caller.
    package init(_ error: RequestError) {
        var members: JSONObject = [:]
        if let reason = error.reason ?? error.extendedError { members["reason"] = .string(reason) }
        if error.reason != nil, let more = error.extendedError { members["extra_info"] = .string(more) }
        if let data = error.customData, data.text.utf8.count <= Self.maximumCustomData { members["custom_data"] = data }
        if let code = error.detailedCode { members["detailed_error"] = .number(code.rawValue) }
        if let item = error.itemID { members["item_id"] = .number(item) }
        if let app = error.runningApp { members["running_app"] = .string(app.rawValue) }
        self.init(deviceFailure: error.code, error.message, members: members)
    }

    /// What a session's failure is to a caller; `reason` is the device's own word.
    package init(_ failure: SessionFailure) {
        var members: JSONObject = [:]
        if let reason = failure.reason { members["reason"] = .string(reason) }
        if let more = failure.extraInfo { members["extra_info"] = .string(more) }
        if let app = failure.app { members["running_app"] = .string(app.rawValue) }
        self.init(deviceFailure: failure.code, failure.message, members: members)
    }

    /// What became of a message to a virtual device, which was looked up before.
    package init(virtualDevice error: GatewayError) {
        switch error.code {
        case .unknownSession: self.init(deviceFailure: .applicationNotRunning, error.reason)
        case .unknownDevice: self.init(GatewayError(.unavailable, "the virtual device does not run"))
        case .messageLoop: self.init(deviceFailure: .sendBufferFull, error.reason)
        default: self.init(error)
        }
    }
}
