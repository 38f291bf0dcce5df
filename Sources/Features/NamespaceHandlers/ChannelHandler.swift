import CastWire
import GatewayConfig
import GatewayCore
import NIOCore

/// A custom namespace of `channels`, or all below a prefix: echoes to its sender, repeats to every sender of the session, and delivers
/// to back ends, whose answers may be the replies.
///
/// Channels that share the namespace on different virtual devices are one handler with a claim for each direction of each.
struct ChannelHandler: MessageHandler {
    /// The reasons that senders and counters get.
    private enum Reason {
        static let full = "SEND_BUFFER_FULL"
        static let noReply = "APP_ERROR"
    }

    let name: String
    let claims: [Claim]
    private let gates: [ChannelGate]
    private let bridge: (any ChannelBridge)?

    /// Makes the handler of channels of one namespace; nil when there is none, or the namespace is no pattern.
    /// - Parameters:
    ///   - devices: the names of the virtual devices, for channels that name some with wildcards.
    ///   - bridge: carries messages out; nil where nothing is sent, as in a dry run.
    init?(_ channels: [ChannelConfiguration], devices: [String] = [], bridge: (any ChannelBridge)? = nil) {
        guard let first = channels.first, let pattern = NamespacePattern(first.namespace) else { return nil }
        self.name = first.handlerName
        self.bridge = bridge
        self.gates = channels.map { ChannelGate($0, among: devices) }
        self.claims = self.gates.flatMap { gate in
            let channel = gate.channel
            return channel.claimedDirections.map { direction in
                Claim(
                    pattern, directions: [direction], devices: gate.devices,
                    deadline: direction == .toReceiver ? channel.reply?.deadline : nil,
                    onFailure: direction == .toReceiver ? channel.reply?.onFailure : .open)
            } + channel.ownClaims(pattern)
        }
    }

    /// The handlers of all channels, in the order in which their namespaces are first named.
    /// - Parameter devices: the names of the virtual devices.
    static func all(
        of channels: [ChannelConfiguration], devices: [String], bridge: (any ChannelBridge)?
    ) -> [ChannelHandler] {
        var namespaces: [String] = []
        for channel in channels where !namespaces.contains(channel.namespace) { namespaces.append(channel.namespace) }
        return namespaces.compactMap { namespace in
            ChannelHandler(channels.filter { $0.namespace == namespace }, devices: devices, bridge: bridge)
        }
    }

    func handle(_ message: RoutedMessage, in context: HandlerContext) -> Verdict {
        guard let gate = self.gates.first(where: { $0.isMeant(message.device.name, on: message.leg) }) else {
            return .pass
        }
        guard message.leg == .sender else { return self.take(message, of: gate, context) }
        let channel = gate.channel
        guard message.direction == .toReceiver else {
            // What the app says reaches its senders whatever becomes of the copy.
            if gate.obstacle(of: message.message.payload) == nil { self.deliver(message, of: channel) }
            return .forward
        }
        // A channel is an app's. The platform speaks none of these namespaces, and every sender is connected to it.
        let isForApp =
            message.message.destination != .platformReceiver && message.message.destination != .broadcast
        guard isForApp || channel.handler == .echo else {
            return .reject(Rejection(reason: InvalidRequest.Reason.invalidCommand.rawValue))
        }
        if let refusal = gate.admit(message.message.payload, from: RateBuckets.Key(message)) {
            self.bridge?.refused(by: refusal.rule, in: channel.namespace)
            return .reject(refusal.rejection)
        }
        let isTaken = !isForApp || channel.direction == .fromApp || self.deliver(message, of: channel)
        if let reply = channel.reply { return self.reply(to: message, reply, channel, context) }
        switch channel.handler {
        case .echo: return Verdict(.reply(message.message.payload))
        case .broadcast: return .handled(.broadcast(payload: message.message.payload))
        case nil:
            guard !channel.forwards else { return .forward }
            // Otherwise the message would be lost without its sender being told.
            if isTaken { return .handled }
            self.bridge?.refused(by: .full, in: channel.namespace)
            return .reject(Reason.full, "too much waits for the back end")
        }
    }

    /// Takes what an app says to the gateway's own session. The session learns of it whatever becomes of the copy, unless the back
    /// end answers the app.
    private func take(_ message: RoutedMessage, of gate: ChannelGate, _ context: HandlerContext) -> Verdict {
        let channel = gate.channel
        // What a caller waits for is the caller's.
        guard message.direction == .toSender, message.origin == nil else { return .forward }
        if let refusal = gate.admit(message.message.payload, from: RateBuckets.Key(message)) {
            self.bridge?.refused(by: refusal.rule, in: channel.namespace)
            return .forward
        }
        if !self.deliver(message, of: channel) { self.bridge?.refused(by: .full, in: channel.namespace) }
        guard let reply = channel.reply else { return .forward }
        return self.reply(to: message, reply, channel, context)
    }

    /// Has a message delivered. One that comes from outside of Cast goes to the app alone, so that a back end does not hear itself.
    /// - Returns: false when it was not taken.
    @discardableResult
    private func deliver(_ message: RoutedMessage, of channel: ChannelConfiguration) -> Bool {
        guard let bridge, message.origin == nil else { return true }
        // The request for the reply is the delivery to the same webhook.
        let isAsked = message.direction == .toReceiver || message.leg == .own
        let places = channel.deliver.filter {
            !isAsked || $0.webhook == nil || $0.webhook != channel.reply?.webhook
        }
        return places.isEmpty || bridge.deliver(message, to: places)
    }

    private func reply(
        to message: RoutedMessage, _ reply: ChannelReply, _ channel: ChannelConfiguration, _ context: HandlerContext
    ) -> Verdict {
        guard let bridge else { return .pass }
        let deferral = context.deferral()
        let requestID = message.summary.requestID
        let forwards = channel.forwards || message.leg == .own
        bridge.ask(message, reply) { outcome in
            switch outcome {
            case .success(let payload?):
                deferral.complete(with: Verdict(.reply(requestID.map(payload.answering) ?? payload)))
            case .success(nil): deferral.complete(with: forwards ? .forward : .handled)
            case .failure:
                // Why is for the log: it names addresses that are none of the sender's business.
                switch reply.onFailure {
                case .open: deferral.complete(with: .forward)
                case .closed: deferral.complete(with: .reject(Reason.noReply, "the back end has no answer"))
                }
            }
        }
        return .deferred(within: reply.deadline)
    }
}

extension ChannelConfiguration {
    /// The directions in which the channel has to see messages.
    fileprivate var claimedDirections: [MessageDirection] {
        guard self.legs.contains(.sender) else { return [] }
        let answersSenders = self.direction != .fromApp || self.forward == false || self.limitsSenders
        let copiesApp = self.direction != .fromSenders && !self.deliver.isEmpty
        return (answersSenders ? [.toReceiver] : []) + (copiesApp ? [.toSender] : [])
    }

    /// The claims on the gateway's own sessions: what their apps say.
    fileprivate func ownClaims(_ pattern: NamespacePattern) -> [Claim] {
        guard self.legs.contains(.own), self.reply != nil || !self.deliver.isEmpty else { return [] }
        // Real devices come and go, so patterns are compared message by message.
        let hasPatterns = self.devices?.contains(where: \.hasWildcards) ?? true
        return [
            Claim(
                pattern, directions: [.toSender], leg: .own,
                devices: hasPatterns ? nil : self.devices.map { Set($0.map(\.pattern)) },
                deadline: self.reply?.deadline, onFailure: self.reply?.onFailure ?? .open)
        ]
    }

    /// True if senders are held to a format or a limit of the channel's own.
    private var limitsSenders: Bool { self.format != nil || self.limits != ChannelLimits() }
}

extension ChannelGate.Refusal {
    /// The answer to a sender.
    fileprivate var rejection: Rejection {
        switch self {
        case .tooBig(let size): Rejection("MESSAGE_TOO_BIG", "at most \(size) bytes")
        case .wrongFormat(let format): Rejection("INVALID_PARAMS", "the channel takes \(format.rawValue) only")
        case .tooMany(let count): Rejection("TOO_MANY_REQUESTS", "at most \(count) messages a second")
        }
    }
}
