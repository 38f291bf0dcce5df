public import CastWire
import SystemPrimitives

/// Why a request was not carried out: the SDKs' code, a sentence, and what the device said about it.
public struct RequestError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong.
    public var code: CastErrorCode
    /// The same in a sentence without a full stop.
    public var message: String
    /// The device's word for it, such as `INVALID_PARAMS` or `NOT_FOUND` (protocol notes, 5.4 and 6.9).
    public var reason: String?
    /// What exactly went wrong with media (protocol notes, 6.10).
    public var detailedCode: DetailedErrorCode?
    /// More of the device's words, as a LAUNCH_ERROR may have them.
    public var extendedError: String?
    /// The reason in a sentence, as Castway's virtual devices tell it when a rule forbids something; at most 300 characters.
    public var explanation: String?
    /// The queue item that it is about.
    public var itemID: Int?
    /// What the app adds.
    public var customData: JSONValue?
    /// The app that runs instead, when another one took the device over, or another session is not the one that is meant.
    public var runningApp: AppID?

    /// Makes an error that no device told.
    public init(_ code: CastErrorCode, _ message: String, reason: String? = nil, runningApp: AppID? = nil) {
        self.code = code
        self.message = message
        self.reason = reason
        self.runningApp = runningApp
    }

    /// The sentence.
    public var description: String { self.message }
}

extension RequestError {
    /// Reads a reply that refuses a request; nil when the reply refuses nothing (protocol notes, 5.1, 5.4, 6.3).
    ///
    /// Besides the types that the protocol has, everything that ends in `_ERROR` or `_FAILED` counts as a refusal.
    public init?(reply: JSONObject) {
        let (reason, extended) = (reply.string("reason"), reply.string("extendedError"))
        guard let type = reply.string("type"), let code = Self.code(type: type, reason: reason, extended: extended)
        else {
            return nil
        }
        let detailed = reply["detailedErrorCode"]?.lenientWhole.map(DetailedErrorCode.init(rawValue:))
        let words = [reason, detailed.map(\.text), extended].compactMap(\.self)
        let explanation = Self.explanation(in: reply)
        var message =
            code == .mediaLoadFailed
            ? "the app cannot play this" + (words.isEmpty ? "" : ": ") + words.joined(separator: ", ")
            : "the device refuses: " + ([type] + words).joined(separator: ", ")
        if let explanation { message += ": \(explanation)" }
        self.init(code, message, reason: reason)
        self.detailedCode = detailed
        self.extendedError = extended
        self.explanation = explanation
        self.itemID = reply["itemId"]?.lenientWhole
        self.customData = reply["customData"]
    }

    /// What an answer says for people: `error` in LAUNCH_ERROR, `message` in other refusals.
    private static func explanation(in reply: JSONObject) -> String? {
        guard let text = reply.string("message") ?? reply.string("error"), !text.isEmpty else { return nil }
        return String(text.prefix(300))
    }

    private static func code(type: String, reason: String?, extended: String?) -> CastErrorCode? {
        switch type {
        case "LOAD_FAILED": return .mediaLoadFailed
        case "LOAD_CANCELLED": return .replaced
        case "INVALID_PLAYER_STATE": return .invalidMediaPlayerState
        case "ERROR": return .mediaError
        case "INVALID_REQUEST": return Self.code(reason: reason) ?? .invalidRequest
        case "LAUNCH_ERROR": return Self.code(reason: reason) ?? Self.code(reason: extended) ?? .unknown
        case "NOT_ALLOWED": return .notAllowed
        case "NOT_SUPPORTED": return .unsupportedFeature
        default:
            let isRefusal = type.hasPrefix("INVALID_") || type.hasSuffix("_ERROR") || type.hasSuffix("_FAILED")
            return isRefusal ? .unknown : nil
        }
    }

    private static func code(reason: String?) -> CastErrorCode? {
        switch reason {
        case "DUPLICATE_REQUEST_ID": .duplicateRequest
        case "INVALID_MEDIA_SESSION_ID": .noMediaSession
        case "INVALID_SESSION_ID": .invalidApplicationSessionID
        case "NOT_SUPPORTED", "LANGUAGE_NOT_SUPPORTED", "VIDEO_DEVICE_REQUIRED": .unsupportedFeature
        case "NOT_ALLOWED", "USER_NOT_ALLOWED", "USER_NOTIFICATIONS_DISABLED", "PARENTAL_CONTROL_RESTRICTED",
            "CONTENT_FILTERED",
            "NOT_AVAILABLE_IN_REGION", "PREMIUM_ACCOUNT_REQUIRED", "AUTHENTICATION_EXPIRED",
            "CONCURRENT_STREAM_LIMIT", "SKIP_LIMIT_REACHED":
            .notAllowed
        case "GENERIC_LOAD_ERROR": .mediaLoadFailed
        case "NOT_FOUND": .applicationNotFound
        case "BAD_PARAMETER": .invalidRequest
        case "CANCELLED": .launchCancelled
        case "TIMEOUT": .timeout
        default: nil
        }
    }
}

extension RequestError {
    /// No channel to the device came to be; code `deviceNotConnected`.
    static func unreachable(_ address: String, reason: String) -> RequestError {
        RequestError(.deviceNotConnected, "cannot reach \(address): \(reason)")
    }

    /// The channel broke, or was closed; code `disconnected`.
    static func disconnected(_ reason: String) -> RequestError {
        RequestError(.disconnected, "the connection was lost: \(reason)")
    }

    /// No answer came in time; code `timeout`.
    static func timedOut(_ request: String, after time: Duration) -> RequestError {
        let seconds = time.inSeconds
        let text = seconds == seconds.rounded() ? "\(Int(seconds)) s" : "\(seconds) s"
        return RequestError(.timeout, "no answer to \(request) within \(text)")
    }

    /// The device closed the virtual connection to an end: the app is gone, or never was there; code `applicationNotRunning`.
    static func connectionClosed(_ endpoint: EndpointID) -> RequestError {
        RequestError(.applicationNotRunning, "the device closed the connection to '\(endpoint)'")
    }

    /// The device does not launch an app.
    static func launchRefused(_ app: AppID, by refusal: RequestError) -> RequestError {
        let words = [refusal.reason, refusal.extendedError].compactMap(\.self).joined(separator: ", ")
        let reasons = [words, refusal.explanation ?? ""].filter { !$0.isEmpty }
        var error = refusal
        error.message =
            "the device does not launch app \(app): "
            + (reasons.isEmpty ? "no reason given" : reasons.joined(separator: ": "))
        return error
    }

    /// The app does not run; code `applicationNotRunning`.
    static func appNotRunning(_ app: AppID) -> RequestError {
        RequestError(.applicationNotRunning, "app \(app) does not run")
    }

    /// No app runs that plays media; code `applicationNotRunning`.
    static let noMediaApp = RequestError(.applicationNotRunning, "no app runs that plays media")

    /// The message does not fit into a frame; code `messageTooBig`.
    static func messageTooLong(bytes: Int) -> RequestError {
        RequestError(.messageTooBig, "the message has \(bytes) bytes, more than fit into a frame")
    }
}
