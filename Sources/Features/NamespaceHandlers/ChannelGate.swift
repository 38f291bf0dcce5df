import CastWire
import GatewayCore
import NIOCore

/// A channel on its devices: which messages are about it, which of them it takes, and how much of its rate is used up.
///
/// Messages of senders and of the app meet one in ``ChannelHandler``, messages of callers from outside of Cast in ``ChannelEntrances``.
package struct ChannelGate: Sendable {
    /// The reason that a message is refused.
    package enum Refusal: Hashable, Sendable {
        /// The payload is larger than so many bytes.
        case tooBig(Int)
        /// The payload is not of this format.
        case wrongFormat(ChannelConfiguration.Format)
        /// More than so many messages came in a second.
        case tooMany(Int)

        var rule: ChannelRule {
            switch self {
            case .tooBig: .size
            case .wrongFormat: .format
            case .tooMany: .rate
            }
        }
    }

    let channel: ChannelConfiguration
    /// The virtual devices on which it answers, by name; nil for all.
    let devices: Set<String>?
    private let rate: (limit: Int, buckets: RateBuckets)?

    /// - Parameter devices: the names of the virtual devices, for channels that name some with wildcards.
    init(_ channel: ChannelConfiguration, among devices: [String]) {
        self.channel = channel
        self.devices = channel.claimedDevices(among: devices)
        self.rate = channel.limits.perSecond.map { ($0, RateBuckets(MessageRate(perSecond: $0))) }
    }

    /// Returns true for a device and a leg that the channel is about.
    func isMeant(_ device: String, on leg: MessageLeg) -> Bool {
        guard self.channel.legs.contains(leg) else { return false }
        switch leg {
        case .sender: return self.devices?.contains(device) ?? true
        case .own: return self.channel.isMeant(real: device)
        }
    }

    /// Checks the size and the format of a payload.
    /// - Returns: nil when it may pass.
    func obstacle(of payload: CastMessage.Payload) -> Refusal? {
        let size = self.channel.limits.size
        guard payload.bytes.readableBytes <= size else { return .tooBig(size) }
        guard let format = self.channel.format else { return nil }
        let fits =
            switch (format, payload) {
            case (.text, .text), (.binary, .binary): true
            case (.json, .text(let bytes)): (try? JSONReader.read(bytes)) != nil
            case (.json, .binary), (.text, .binary), (.binary, .text): false
            }
        return fits ? nil : .wrongFormat(format)
    }

    /// Takes a message into account: checks its payload, and counts it against the rate of its sender.
    /// - Parameter sender: whose rate it is.
    /// - Returns: nil when it is taken.
    func admit(_ payload: CastMessage.Payload, from sender: @autoclosure () -> RateBuckets.Key) -> Refusal? {
        if let obstacle = self.obstacle(of: payload) { return obstacle }
        guard let rate, !rate.buckets.take(sender(), at: .now()) else { return nil }
        return .tooMany(rate.limit)
    }
}
