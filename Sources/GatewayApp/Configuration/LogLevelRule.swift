public import GatewayConfig

/// `log.levels`: the level of the components whose name matches.
public struct LogLevelRule: Sendable, Equatable {
    /// Which components.
    public var components: Glob
    /// Their level.
    public var level: LogConfiguration.Level

    /// Makes a rule from its parts.
    public init(components: Glob, level: LogConfiguration.Level) {
        self.components = components
        self.level = level
    }
}
