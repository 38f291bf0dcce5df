public import GatewayConfig

/// How much of one destination is kept, and for how long: `queue` and `dead_letters`.
public struct OutboxBounds: ConfigSettings, Hashable {
    /// How long a message is kept.
    public var age: Duration
    /// How many bytes are kept.
    public var size = 64 << 20

    /// The keys of `queue` and `dead_letters`.
    public static let keys: [Key] = [
        Key("age", \.age, .duration(.seconds(1) ... .seconds(365 * 86400)), "How long a message is kept", reload: .hot),
        Key("size", \.size, .size(64 << 10...64 << 30), "How many bytes of messages are kept", reload: .hot),
    ]

    /// What dead letters have: 14 days and 64 MiB.
    public init() {
        self.init(age: .seconds(14 * 86400))
    }

    /// Bounds of another age and 64 MiB.
    public init(age: Duration) {
        self.age = age
    }
}
