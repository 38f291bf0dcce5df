import CastWire
import GatewayCore
import Logging
import NamespaceHandlers
import ServiceLifecycle

/// Ends the sessions of apps that have played for as long as a rule lets them.
final class PlayLimitsFeature: GatewayFeature, Service, CustomStringConvertible {
    let name = "play limits"
    /// The name of the handler that judges by rules, so that these do not judge what they give rise to.
    private static let origin = MessageOrigin("rules")
    /// How long a device may take to end a session.
    private static let patience = Duration.seconds(10)

    private let plays: PlaySessions
    private let senders: any InternalSenders
    private let logger: Logger

    /// - Parameters:
    ///   - plays: how long apps have played.
    ///   - senders: speak to the virtual devices.
    init(_ context: GatewayContext, plays: PlaySessions, senders: any InternalSenders) {
        self.plays = plays
        self.senders = senders
        self.logger = context.makeLogger("PlayLimits")
    }

    var description: String { self.name }

    func services(among features: [any GatewayFeature]) -> [StagedService] { [StagedService(.devicesListening, self)] }

    func run() async {
        await withDiscardingTaskGroup { group in
            for await session in self.plays.ended.cancelOnGracefulShutdown() {
                group.addTask { await self.end(session) }
            }
            group.cancelAll()
        }
    }

    private func end(_ session: PlaySessions.Session) async {
        let metadata: Logger.Metadata = [
            "device": "\(session.device)", "session": "\(session.id)", "rule": "\(session.rule)",
        ]
        do throws(GatewayError) {
            let stop = ReceiverRequest.stop(sessionID: session.id, requestID: .spontaneous)
            _ = try await self.senders.send(
                stop.payload, namespace: .receiver, to: AppAddress(device: session.device), as: Self.origin,
                wait: Self.patience)
            self.logger.info("An app has played for as long as it may", metadata: metadata)
        } catch {
            self.logger.warning(
                "An app that has played for as long as it may was not ended",
                metadata: metadata.merging(["reason": "\(error)"]) { $1 })
        }
    }
}
