package import GatewayConfig

/// `media.check`: how the servers of media are asked.
package struct MediaCheckConfiguration: ConfigSettings {
    /// `allow_private`: whether servers in local networks and on this machine are asked.
    package var allowsPrivate = false

    /// The keys of `media.check`.
    package static let keys: [Key] = [
        Key(
            "allow_private", \.allowsPrivate, .boolean,
            "Whether servers in local networks and on this machine are asked; then a caller that may load media learns which of them there are, and what they answer with"
        )
    ]

    /// Makes settings that ask servers of the Internet alone.
    package init() {}
}
