import CastWire
package import GatewayConfig

/// `channels[].limits`: what messages of a channel have to keep to.
package struct ChannelLimits: ConfigSettings, Hashable {
    /// The largest payload, in bytes.
    package var size = CastMessage.maximumBodyLength
    /// The number of messages a second of one sender, or one caller, and one device; nil for any number.
    package var perSecond: Int?

    package static let keys: [Key] = [
        Key(
            "size", \.size, .size(1...CastMessage.maximumBodyLength),
            "The largest payload; larger ones are refused. Of messages that the gateway sends itself no payload has more than "
                + "\(CastMessage.maximumPayloadLength) bytes"),
        .optional(
            "per_second", \.perSecond, .integer(1...100_000),
            "How many messages a sender or a caller may send in a second to one device; further ones are refused. Any number without it",
            example: "200"),
    ]

    package init() {}
}
