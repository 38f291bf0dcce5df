import CastWire

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
    /// Nothing happens and nobody answers.
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
