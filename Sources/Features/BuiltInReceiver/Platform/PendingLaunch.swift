import CastWire
import NIOCore

/// A launch that is under way: the app is loading, or the device's user is being asked.
struct PendingLaunch {
    struct Waiter {
        let requester: Requester
        /// The request's id; nil when the sender expects no answer.
        let requestID: RequestID?
    }

    /// The number of LAUNCHes of one app that may wait together.
    static let maximumWaiters = 32

    let app: AppProfile
    let kind: VirtualAppConfiguration.Kind
    let plan: LaunchPlan
    /// The parameters of the first LAUNCH.
    let parameters: LaunchParameters
    /// The time when it ends.
    let deadline: NIODeadline
    /// The requests for it, the oldest first.
    var waiters: [Waiter]
}

/// The course of a launch on the built-in receiver.
enum LaunchPlan: Hashable, Sendable {
    case start
    /// The device's user is asked, and after the launch delay the app starts.
    case startAfterApproval
    /// The device's user is asked, and after the launch delay has said no.
    case deny
    /// The launch fails after the launch delay.
    case fail(LaunchError.Reason)
    /// Nothing happens, and the sender gets no answer.
    case noAnswer

    /// The plan for an outcome in `gateway.yaml`.
    init(_ outcome: VirtualAppConfiguration.LaunchOutcome) {
        self =
            switch outcome {
            case .allow: .start
            case .notFound: .fail(.notFound)
            case .notAllowed: .deny
            case .cancelled: .fail(.cancelled)
            case .timeout: .noAnswer
            }
    }

    /// True when senders are told that the device's user is being asked.
    var asksUser: Bool { self == .startAfterApproval || self == .deny }
}

/// The parameters of a LAUNCH for the app: kept while the app runs (protocol notes, 5.4).
///
/// Its description leaves the content out, since that may be credentials.
struct LaunchParameters: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The limit of all parameters together, in bytes of JSON.
    static let maximumSize = 32_768

    /// Parameters for the app, any JSON.
    let appParams: JSONValue?
    /// The user's credentials, from whichever field of the message held them.
    let credentials: ReceiverRequest.LaunchCredentials?
    /// More for the app, any JSON.
    let customData: JSONValue?
    /// The sender's language, such as `en-US`.
    let language: String?

    /// Takes the parameters of a LAUNCH.
    /// - Returns: nil when they are too large to be kept.
    init?(_ request: ReceiverRequest) {
        self.appParams = request.appParams
        self.credentials = request.credentials
        self.customData = request.json["customData"]
        self.language = request.language
        let texts = [
            self.credentials?.credentials, self.credentials?.credentialsType, self.language, self.appParams?.text,
            self.customData?.text,
        ]
        guard texts.reduce(0, { $0 + ($1?.utf8.count ?? 0) }) <= Self.maximumSize else { return nil }
    }

    var description: String { "launch parameters" }
    var debugDescription: String { self.description }
}
