package import FeatureContract
package import GatewayCore
package import Logging
package import NamespaceHandlers
import ServiceLifecycle

/// Ends the sessions of apps that have played for as long as a rule lets them.
package final class PlayLimitsFeature: GatewayFeature, Service, CustomStringConvertible {
    package let name = "play limits"
    private let plays: PlaySessions
    private let stopper: AppStopper
    private let pause: Duration
    private let logger: Logger

    /// - Parameters:
    ///   - plays: how long apps have played.
    ///   - senders: speak to the virtual devices.
    ///   - pause: how long after a try that has failed the next one comes.
    ///   - isReachable: whether what stands behind a virtual device answers for itself now.
    package init(
        _ logger: Logger, plays: PlaySessions, senders: any InternalSenders, pause: Duration = .seconds(15),
        isReachable: @escaping @Sendable (_ device: String) -> Bool
    ) {
        self.stopper = AppStopper(senders, isReachable: isReachable)
        self.pause = pause
        self.plays = plays
        self.logger = logger
    }

    package var description: String { self.name }

    package func services(among features: [any GatewayFeature]) -> [StagedService] {
        [StagedService(.devicesListening, self)]
    }

    package func run() async {
        await withDiscardingTaskGroup { group in
            for await session in self.plays.ended.cancelOnGracefulShutdown() {
                group.addTask { await self.end(session) }
            }
            group.cancelAll()
        }
    }

    /// Tries until nothing is left to end: the device may be out of reach, and its app plays on by itself.
    func end(_ session: PlaySessions.Session) async {
        let metadata: Logger.Metadata = [
            "device": "\(session.device)", "session": "\(session.id)", "rule": "\(session.rule)",
        ]
        var isTold = false
        while self.plays.isOver(session) {
            do throws(GatewayError) {
                try await self.stopper.stop(session.id, on: session.device)
                self.plays.forget(session)
                return self.logger.info("An app has played for as long as it may", metadata: metadata)
            } catch {
                if error.code == .unknownDevice { return self.plays.forget(session) }
                if !isTold {
                    self.logger.warning(
                        "An app that has played for as long as it may was not ended; that is tried again",
                        metadata: metadata.merging(["reason": "\(error)"]) { $1 })
                }
                isTold = true
            }
            do { try await Task.sleep(for: self.pause) } catch { return }
        }
    }
}
