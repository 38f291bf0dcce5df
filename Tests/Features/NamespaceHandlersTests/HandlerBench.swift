import CastWire
import GatewayConfig
import GatewayCore
import GatewayTesting

@testable import NamespaceHandlers

extension RouterBench {
    /// A router with every handler that a configuration calls for, and the guard.
    static func builtIn(
        rules: [RoutingRule] = [], launch: LaunchConfiguration = LaunchConfiguration(),
        channels: [ChannelConfiguration] = [], relayedApps: [String: Set<String>] = [:],
        bridge: (any ChannelBridge)? = nil, device: DeviceFacts = .test(target: "tv")
    ) throws -> RouterBench {
        try RouterBench(
            BuiltInHandlers.make(
                routing: RoutingConfiguration { $0.rules = rules }, launch: LaunchSettings(launch),
                checks: launch.checks, channels: channels, bridge: bridge),
            guardedBy: PlatformGuard(relayedApps: relayedApps), device: device)
    }

    /// What became of one text of a sender's.
    func outcome(
        _ text: String, in namespace: Namespace, from source: EndpointID = "sender-7",
        to destination: EndpointID = .platformReceiver, direction: MessageDirection = .toReceiver,
        address: String? = nil, session: SessionFacts? = nil
    ) -> Outcome {
        self.output.steps = []
        self.router.route(
            RoutedMessage(
                .test(text, in: namespace, from: source, to: destination), direction: direction, device: self.device,
                connection: ConnectionID(rawValue: 1), senderAddress: address, session: session))
        let messages = self.output.steps.filter { if case .event = $0 { false } else { true } }
        switch messages.first {
        case .forward(let message) where messages.count == 1: return .forwarded(message.payload.text ?? "")
        case .toSenders(let message, _) where messages.count == 1: return .answered(message)
        case nil: return .swallowed
        default: return .confused
        }
    }
}

/// What became of a message.
enum Outcome: Equatable {
    case forwarded(String)
    case answered(CastMessage)
    case swallowed
    case confused

    /// The text that went on.
    var text: String? { if case .forwarded(let text) = self { text } else { nil } }
    /// The answer.
    var answer: CastMessage? { if case .answered(let message) = self { message } else { nil } }
    /// The answer's JSON.
    var answerJSON: JSONObject? { self.answer?.payload.jsonObject }
}
