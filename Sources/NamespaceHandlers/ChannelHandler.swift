import CastWire
import GatewayCore

/// A custom namespace of `channels`, or all below a prefix, without code: echoes to its sender, or repeats to every sender of
/// the session.
///
/// Channels that share the namespace on different virtual devices are one handler with a claim for each.
struct ChannelHandler: MessageHandler {
    let name: String
    let claims: [Claim]
    /// What answers on which virtual devices; nil stands for all.
    private let answers: [(devices: Set<String>?, handler: ChannelConfiguration.Handler)]

    /// Makes the handler of channels of one namespace; nil when there is none, or the namespace is no pattern.
    /// - Parameter devices: the names of the virtual devices, for channels that name some with wildcards.
    init?(_ channels: [ChannelConfiguration], devices: [String] = []) {
        guard let first = channels.first, let pattern = NamespacePattern(first.namespace) else { return nil }
        self.name = first.handlerName
        self.answers = channels.map { ($0.claimedDevices(among: devices), $0.handler) }
        self.claims = self.answers.map { Claim(pattern, devices: $0.devices) }
    }

    /// The handlers of all channels, in the order in which their namespaces are first named.
    /// - Parameter devices: the names of the virtual devices.
    static func all(of channels: [ChannelConfiguration], devices: [String]) -> [ChannelHandler] {
        var namespaces: [String] = []
        for channel in channels where !namespaces.contains(channel.namespace) { namespaces.append(channel.namespace) }
        return namespaces.compactMap { namespace in
            ChannelHandler(channels.filter { $0.namespace == namespace }, devices: devices)
        }
    }

    func handle(_ message: RoutedMessage, in context: HandlerContext) -> Verdict {
        let answer = self.answers.first { $0.devices?.contains(message.device.name) ?? true }
        switch answer?.handler {
        case nil: return .pass
        case .echo: return Verdict(.reply(message.message.payload))
        case .broadcast:
            // A channel is an app's. The platform speaks none of these namespaces, and every sender is connected to it.
            guard message.message.destination != .platformReceiver, message.message.destination != .broadcast else {
                return .reject(Rejection(reason: InvalidRequest.Reason.invalidCommand.rawValue))
            }
            return .handled(.broadcast(payload: message.message.payload))
        }
    }
}
