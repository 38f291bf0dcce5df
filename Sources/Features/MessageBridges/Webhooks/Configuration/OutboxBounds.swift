package import GatewayConfig

/// The bounds of what is kept of one destination: `queue` and `dead_letters`.
package struct OutboxBounds: ConfigSettings, Hashable {
    /// The time a message is kept.
    package var age: Duration
    /// The number of bytes that are kept.
    package var size = 64 << 20

    package static let keys: [Key] = [
        Key("age", \.age, .duration(.seconds(1) ... .seconds(365 * 86400)), "How long a message is kept", reload: .hot),
        Key("size", \.size, .size(64 << 10...64 << 30), "How many bytes of messages are kept", reload: .hot),
    ]

    /// The bounds of dead letters: 14 days and 64 MiB.
    package init() {
        self.init(age: .seconds(14 * 86400))
    }

    /// Bounds of another age and 64 MiB.
    package init(age: Duration) {
        self.age = age
    }
}
