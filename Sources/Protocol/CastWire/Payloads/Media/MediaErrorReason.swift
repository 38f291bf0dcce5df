/// The reason of an `INVALID_REQUEST` (protocol notes, 6.9).
public struct MediaErrorReason: WireWord {
    /// The value as it stands on the wire.
    public let rawValue: String

    /// Takes a value from the wire; unknown ones are kept.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The app failed.
    public static let appError = MediaErrorReason(rawValue: "APP_ERROR")
    /// The credentials are too old.
    public static let authenticationExpired = MediaErrorReason(rawValue: "AUTHENTICATION_EXPIRED")
    /// Too many streams.
    public static let concurrentStreamLimit = MediaErrorReason(rawValue: "CONCURRENT_STREAM_LIMIT")
    /// It plays already.
    public static let contentAlreadyPlaying = MediaErrorReason(rawValue: "CONTENT_ALREADY_PLAYING")
    /// A filter forbids it.
    public static let contentFiltered = MediaErrorReason(rawValue: "CONTENT_FILTERED")
    /// The request id was used before.
    public static let duplicateRequestID = MediaErrorReason(rawValue: "DUPLICATE_REQUEST_ID")
    /// There is no item in that direction.
    public static let endOfQueue = MediaErrorReason(rawValue: "END_OF_QUEUE")
    /// The load failed.
    public static let genericLoadError = MediaErrorReason(rawValue: "GENERIC_LOAD_ERROR")
    /// The type is unknown.
    public static let invalidCommand = MediaErrorReason(rawValue: "INVALID_COMMAND")
    /// The media session is another one.
    public static let invalidMediaSessionID = MediaErrorReason(rawValue: "INVALID_MEDIA_SESSION_ID")
    /// A field is absent or wrong.
    public static let invalidParams = MediaErrorReason(rawValue: "INVALID_PARAMS")
    /// The request is malformed.
    public static let invalidRequest = MediaErrorReason(rawValue: "INVALID_REQUEST")
    /// No track has this language.
    public static let languageNotSupported = MediaErrorReason(rawValue: "LANGUAGE_NOT_SUPPORTED")
    /// Not in this country.
    public static let notAvailableInRegion = MediaErrorReason(rawValue: "NOT_AVAILABLE_IN_REGION")
    /// The receiver cannot do it.
    public static let notSupported = MediaErrorReason(rawValue: "NOT_SUPPORTED")
    /// Parents forbid it.
    public static let parentalControlRestricted = MediaErrorReason(rawValue: "PARENTAL_CONTROL_RESTRICTED")
    /// The account does not allow it.
    public static let premiumAccountRequired = MediaErrorReason(rawValue: "PREMIUM_ACCOUNT_REQUIRED")
    /// Skipped too often.
    public static let skipLimitReached = MediaErrorReason(rawValue: "SKIP_LIMIT_REACHED")
    /// The device has no screen.
    public static let videoDeviceRequired = MediaErrorReason(rawValue: "VIDEO_DEVICE_REQUIRED")
}
