package import Logging

extension Logger {
    /// The same log without what HTTP libraries say of each connection and request: notices, and what is worse.
    package var quiet: Logger {
        var logger = self
        logger.logLevel = max(logger.logLevel, .notice)
        return logger
    }
}
