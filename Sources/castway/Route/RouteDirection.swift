import ArgumentParser
import GatewayCore

/// The directions that `--direction` names.
enum RouteDirection: String, ExpressibleByArgument, CaseIterable {
    case toReceiver = "to-receiver"
    case toSender = "to-sender"

    /// The same in the words of the router.
    var messageDirection: MessageDirection {
        switch self {
        case .toReceiver: .toReceiver
        case .toSender: .toSender
        }
    }
}
