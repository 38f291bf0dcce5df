public import CastWire

/// Why a session could not be started or resumed, or why it ended unasked.
public struct SessionFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong, as the Cast SDKs number it.
    public var code: CastErrorCode
    /// The same in a sentence without a full stop.
    public var message: String
    /// The device's own word for it, such as `NOT_FOUND` (protocol notes, 5.4).
    public var reason: String?
    /// More of the device's words, as a LAUNCH_ERROR may have them.
    public var extraInfo: String?
    /// The app that runs instead, when another one took the device over.
    public var app: AppID?
    /// What the app said when it closed the session's connection to it; nil when it closed none.
    public var closeReason: ConnectionPayload.CloseReason?

    /// Makes a failure.
    public init(_ code: CastErrorCode, _ message: String, reason: String? = nil, app: AppID? = nil) {
        self.code = code
        self.message = message
        self.reason = reason
        self.app = app
    }

    /// There is no device of that name.
    public static func unknownDevice(_ device: String) -> SessionFailure {
        SessionFailure(.invalidRequest, "there is no device named \(device)")
    }

    /// The sentence.
    public var description: String { self.message }
}

extension GatewayError {
    /// The failure as every public entry point of the gateway throws it.
    public init(_ failure: SessionFailure) {
        self.init(Code(failure.code), failure.message)
    }
}
