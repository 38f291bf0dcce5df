import GatewayConfig
import Logging

extension LogConfiguration {
    /// The level of a component: that of the first rule that matches its name, or the general one.
    func level(of component: String) -> Logger.Level {
        (self.levels.first { $0.components.matches(component) }?.level ?? self.level).loggerLevel
    }
}

extension LogConfiguration.Level {
    /// The same level in the words of loggers.
    fileprivate var loggerLevel: Logger.Level {
        switch self {
        case .trace: .trace
        case .debug: .debug
        case .info: .info
        case .notice: .notice
        case .warning: .warning
        case .error: .error
        }
    }
}
