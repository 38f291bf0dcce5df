import CastWire
import NIOCore

/// A launch that is under way: the app is loading, or the device's user is being asked.
struct PendingLaunch {
    /// One LAUNCH that waits for the app.
    struct Waiter {
        /// The sender that waits.
        let requester: Requester
        /// The request's id; nil when the sender expects no answer.
        let requestID: RequestID?
    }

    /// How many LAUNCHes of one app may wait together.
    static let maximumWaiters = 32

    /// What will run.
    let app: AppProfile
    /// The kind of app that was asked for.
    let kind: VirtualAppConfiguration.Kind
    /// How it will end.
    let plan: LaunchPlan
    /// What the first LAUNCH handed over.
    let parameters: LaunchParameters
    /// When it ends.
    let deadline: NIODeadline
    /// The requests for it, the oldest first.
    var waiters: [Waiter]
}

/// How a launch goes on the built-in receiver.
enum LaunchPlan: Hashable, Sendable {
    /// The app starts after its launch delay.
    case start
    /// The device's user is asked, and after the launch delay the app starts.
    case startAfterApproval
    /// The device's user is asked, and after the launch delay has said no.
    case deny
    /// The launch fails after the launch delay.
    case fail(LaunchError.Reason)
    /// Nothing happens, and the sender gets no answer.
    case noAnswer

    /// The plan for what `gateway.yaml` says.
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

/// What a LAUNCH handed over for the app: kept while the app runs (protocol notes, 5.4).
///
/// Its description leaves the content out, since that may be credentials.
struct LaunchParameters: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// How large the parameters may be together, in bytes of JSON.
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

    /// Nothing that a sender sent.
    var description: String { "launch parameters" }
    /// Nothing that a sender sent.
    var debugDescription: String { self.description }
}
