import CastWire
import GatewayCore
import Logging
import NIOCore
import Synchronization

/// Logs who cast what: each launch, load, stop and change of volume that went on, a line each at info.
///
/// What a rule or a plugin refused is logged by the router. Beyond so many lines a minute and address at debug only.
final class CastingLog: MessageHandler {
    let name = BuiltInHandlers.Name.castingLog
    let claims = [
        Claim(.exact(.receiver), phase: .observe, types: CastCommand.platformTypes),
        Claim(.exact(.media), phase: .observe, types: CastCommand.mediaTypes),
    ]

    private static let linesPerMinute = 60

    private let logger: Logger
    private let now: @Sendable () -> NIODeadline
    private let throttle = Mutex(LogThrottle<String?>(linesPerWindow: CastingLog.linesPerMinute))

    /// - Parameter now: the instant of a line, for the throttle.
    init(logger: Logger, now: @escaping @Sendable () -> NIODeadline = { .now() }) {
        self.logger = logger
        self.now = now
    }

    func handle(_ message: RoutedMessage, in context: HandlerContext) -> Verdict {
        guard self.logger.logLevel <= .info, let act = CastCommand(message, running: { context.running }) else {
            return .pass
        }
        var metadata = act.metadata
        let level = self.throttle.withLock {
            $0.level(.info, for: message.senderAddress, at: self.now(), metadata: &metadata)
        }
        self.logger.log(level: level, "\(act.kind.rawValue)", metadata: metadata)
        return .pass
    }
}
