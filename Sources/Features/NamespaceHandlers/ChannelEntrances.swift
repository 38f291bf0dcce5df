package import CastWire
package import GatewayCore

/// The channels of a configuration as callers from outside of Cast meet them: what they may send there, and what becomes of it when
/// the app does not run.
package final class ChannelEntrances: Sendable {
    private struct Entrance: Sendable {
        let gate: ChannelGate
        let pattern: NamespacePattern

        /// True if the channel is about a namespace on a device; what it says of senders holds for real devices as well where
        /// no other channel is about those.
        func isMeant(_ namespace: Namespace, on device: String, _ leg: MessageLeg?) -> Bool {
            guard self.pattern.matches(namespace) else { return false }
            return leg.map { self.gate.isMeant(device, on: $0) } ?? self.gate.devices?.contains(device) ?? true
        }
    }

    /// The reason a message is not taken.
    package enum Refusal: Error, Hashable, Sendable {
        case notAccepted
        /// The message is not as the channel takes it.
        case unfit(ChannelGate.Refusal)
    }

    private let entrances: [Entrance]
    private let refusals: ChannelRefusals?

    /// Collects channels.
    /// - Parameters:
    ///   - devices: the names of the virtual devices, for channels that name some with wildcards.
    ///   - refusals: counts what is not taken.
    package init(_ channels: [ChannelConfiguration], devices: [String], refusals: ChannelRefusals? = nil) {
        self.refusals = refusals
        self.entrances = channels.compactMap { channel in
            NamespacePattern(channel.namespace).map { pattern in
                Entrance(gate: ChannelGate(channel, among: devices), pattern: pattern)
            }
        }.sorted { $0.pattern.specificity > $1.pattern.specificity }
    }

    /// Judges a message.
    /// - Parameters:
    ///   - device: virtual or real, by its name.
    ///   - leg: ``MessageLeg/own`` for a real device.
    /// - Returns: what becomes of it when the app does not run; `drop` in a namespace that is no channel.
    /// - Throws: ``Refusal``.
    package func admit(
        _ payload: CastMessage.Payload, in namespace: Namespace, to device: String,
        on leg: MessageLeg = .sender, by way: ChannelConfiguration.Entrance, caller: String
    ) throws(Refusal) -> ChannelAbsence {
        guard let entrance = self.entrance(of: namespace, on: device, leg) else { return .drop }
        let channel = entrance.gate.channel
        guard channel.accept.contains(way) else {
            self.refusals?.count(.accept, in: channel.namespace)
            throw .notAccepted
        }
        if let refusal = entrance.gate.admit(payload, from: RateBuckets.Key(device: device, caller: caller)) {
            self.refusals?.count(refusal.rule, in: channel.namespace)
            throw .unfit(refusal)
        }
        return channel.whenAbsent
    }

    /// The app of a channel does not run, and a message for it was not kept.
    package func absent(in namespace: Namespace, on device: String, leg: MessageLeg = .sender) {
        guard let entrance = self.entrance(of: namespace, on: device, leg) else { return }
        self.refusals?.count(.absent, in: entrance.gate.channel.namespace)
    }

    private func entrance(of namespace: Namespace, on device: String, _ leg: MessageLeg) -> Entrance? {
        self.entrances.first { $0.isMeant(namespace, on: device, leg) }
            ?? (leg == .own ? self.entrances.first { $0.isMeant(namespace, on: device, nil) } : nil)
    }
}
