public import CastWire
public import GatewayCore
import NIOCore

/// The channels of a configuration as callers from outside of Cast meet them: what they may send there, and what becomes of it when
/// the app does not run.
public final class ChannelEntrances: Sendable {
    private struct Entrance: Sendable {
        let channel: ChannelConfiguration
        let pattern: NamespacePattern
        /// nil stands for all.
        let devices: Set<String>?
        /// nil where any number may come.
        let buckets: RateBuckets?

        /// Whether the channel is about a namespace on a device; what it says of senders holds for real devices as well where
        /// no other channel is about those.
        func isMeant(_ namespace: Namespace, on device: String, _ leg: MessageLeg?) -> Bool {
            guard self.pattern.matches(namespace) else { return false }
            guard let leg else { return self.devices?.contains(device) ?? true }
            return self.channel.isMeant(device, on: leg, claimed: self.devices)
        }
    }

    /// Why a message is not taken.
    public enum Refusal: Error, Hashable, Sendable {
        /// The channel takes nothing by this way.
        case notAccepted
        /// The payload is larger than so many bytes.
        case tooBig(Int)
        /// The payload is not of this format.
        case wrongFormat(ChannelConfiguration.Format)
        /// More than so many messages came in a second.
        case tooMany(Int)

        fileprivate var rule: ChannelRule {
            switch self {
            case .notAccepted: .accept
            case .tooBig: .size
            case .wrongFormat: .format
            case .tooMany: .rate
            }
        }
    }

    private let entrances: [Entrance]
    private let refusals: ChannelRefusals?

    /// Collects channels.
    /// - Parameters:
    ///   - devices: the names of the virtual devices, for channels that name some with wildcards.
    ///   - refusals: counts what is not taken.
    public init(_ channels: [ChannelConfiguration], devices: [String], refusals: ChannelRefusals? = nil) {
        self.refusals = refusals
        self.entrances = channels.compactMap { channel in
            NamespacePattern(channel.namespace).map { pattern in
                Entrance(
                    channel: channel, pattern: pattern, devices: channel.claimedDevices(among: devices),
                    buckets: channel.limits.perSecond.map { RateBuckets(MessageRate(perSecond: $0)) })
            }
        }.sorted { $0.pattern.specificity > $1.pattern.specificity }
    }

    /// Judges a message.
    /// - Parameters:
    ///   - device: virtual or real, by its name.
    ///   - leg: ``MessageLeg/own`` for a real device.
    ///   - way: how it comes.
    ///   - caller: who sends it.
    /// - Returns: what becomes of it when the app does not run; `drop` in a namespace that is no channel.
    /// - Throws: ``Refusal``.
    public func admit(
        _ payload: CastMessage.Payload, in namespace: Namespace, to device: String,
        on leg: MessageLeg = .sender, by way: ChannelConfiguration.Entrance, caller: String
    ) throws(Refusal) -> ChannelAbsence {
        guard let entrance = self.entrance(of: namespace, on: device, leg) else { return .drop }
        do throws(Refusal) {
            return try Self.admit(payload, to: device, by: way, caller: caller, entrance)
        } catch {
            self.refusals?.count(error.rule, in: entrance.channel.namespace)
            throw error
        }
    }

    /// The app of a channel does not run, and a message for it was not kept.
    public func absent(in namespace: Namespace, on device: String, leg: MessageLeg = .sender) {
        guard let entrance = self.entrance(of: namespace, on: device, leg) else { return }
        self.refusals?.count(.absent, in: entrance.channel.namespace)
    }

    private func entrance(of namespace: Namespace, on device: String, _ leg: MessageLeg) -> Entrance? {
        self.entrances.first { $0.isMeant(namespace, on: device, leg) }
            ?? (leg == .own ? self.entrances.first { $0.isMeant(namespace, on: device, nil) } : nil)
    }

    private static func admit(
        _ payload: CastMessage.Payload, to device: String, by way: ChannelConfiguration.Entrance, caller: String,
        _ entrance: Entrance
    ) throws(Refusal) -> ChannelAbsence {
        let channel = entrance.channel
        guard channel.accept.contains(way) else { throw .notAccepted }
        guard payload.bytes.readableBytes <= channel.limits.size else { throw .tooBig(channel.limits.size) }
        if let format = channel.format, channel.obstacle(of: payload) != nil { throw .wrongFormat(format) }
        if let buckets = entrance.buckets, !buckets.take(RateBuckets.Key(device: device, caller: caller), at: .now()) {
            throw .tooMany(channel.limits.perSecond ?? 0)
        }
        return channel.whenAbsent
    }
}
