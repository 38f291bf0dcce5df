public import CastWire

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
    /// The queue item that it is about.
    public var itemID: Int?
    /// What the app adds.
    public var customData: JSONValue?

    /// Makes an error of Castway's own.
    public init(_ code: CastErrorCode, _ message: String, reason: String? = nil) {
        self.code = code
        self.message = message
        self.reason = reason
    }

    /// The sentence.
    public var description: String { self.message }
}

extension RequestError {
    /// Reads a reply that refuses a request; nil when the reply refuses nothing (protocol notes, 5.1, 5.4, 6.3).
    ///
    /// Besides the types that the protocol has, everything that ends in `_ERROR` or `_FAILED` counts as a refusal.
    public init?(reply: JSONObject) {
        guard let type = reply.string("type"), let code = Self.code(type: type, reason: reply.string("reason")) else {
            return nil
        }
        let reason = reply.string("reason")
        let detailed = reply["detailedErrorCode"]?.lenientWhole.map(DetailedErrorCode.init(rawValue:))
        let extended = reply.string("extendedError")
        let words = [reason, detailed.map(\.text), extended].compactMap(\.self)
        let message =
            code == .mediaLoadFailed
            ? "the app cannot play this" + (words.isEmpty ? "" : ": ") + words.joined(separator: ", ")
            : "the device refuses: " + ([type] + words).joined(separator: ", ")
        self.init(code, message, reason: reason)
        self.detailedCode = detailed
        self.extendedError = extended
        self.itemID = reply["itemId"]?.lenientWhole
        self.customData = reply["customData"]
    }

    private static func code(type: String, reason: String?) -> CastErrorCode? {
        switch type {
        case "LOAD_FAILED": return .mediaLoadFailed
        case "LOAD_CANCELLED": return .replaced
        case "INVALID_PLAYER_STATE": return .invalidMediaPlayerState
        case "ERROR": return .mediaError
        case "INVALID_REQUEST": return Self.code(reason: reason) ?? .invalidRequest
        case "LAUNCH_ERROR": return Self.code(reason: reason) ?? .applicationNotFound
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
        case "NOT_ALLOWED", "USER_NOT_ALLOWED", "PARENTAL_CONTROL_RESTRICTED", "CONTENT_FILTERED",
            "NOT_AVAILABLE_IN_REGION", "PREMIUM_ACCOUNT_REQUIRED", "AUTHENTICATION_EXPIRED",
            "CONCURRENT_STREAM_LIMIT", "SKIP_LIMIT_REACHED":
            .notAllowed
        case "GENERIC_LOAD_ERROR": .mediaLoadFailed
        case "NOT_FOUND": .applicationNotFound
        case "CANCELLED": .launchCancelled
        case "TIMEOUT": .timeout
        default: nil
        }
    }
}
