import Glibc
import Logging
import ServiceLifecycle
import UnixSignals

/// Reloads at every SIGHUP. When the terminal that the gateway was started from is gone, SIGHUP ends it as it would
/// end any other program.
struct HangUpService: Service, CustomStringConvertible {
    let signals: UnixSignalsSequence
    let logger: Logger
    let reload: @Sendable () async -> Void

    var description: String { "SIGHUP" }

    func run() async throws {
        let hasTerminal = isatty(STDERR_FILENO) == 1
        for await _ in self.signals.cancelOnGracefulShutdown() {
            if hasTerminal, isatty(STDERR_FILENO) != 1 {
                self.logger.notice("The terminal is gone")
                raise(SIGTERM)
            } else {
                self.logger.info("SIGHUP: reloading")
                await self.reload()
            }
        }
    }
}
