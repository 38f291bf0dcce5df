import CastWire
import GatewayCore
import Logging
import NamespaceHandlers
import ServiceLifecycle
import Synchronization

/// Ends the sessions of apps that have played for as long as a rule lets them.
final class PlayLimitsFeature: GatewayFeature, Service, CustomStringConvertible {
    let name = "play limits"
    /// The name of the handler that judges by rules, so that these do not judge what they give rise to.
    private static let origin = MessageOrigin("rules")
    /// How long a device may take to end a session.
    private static let patience = Duration.seconds(10)

    private let plays: PlaySessions
    private let senders: any InternalSenders
    private let isReachable: @Sendable (_ device: String) -> Bool
    /// The sessions of which it was said that they could not be ended.
    private let told = Mutex<Set<PlaySessions.Session>>([])
    private let logger: Logger

    /// - Parameters:
    ///   - plays: how long apps have played.
    ///   - senders: speak to the virtual devices.
    ///   - isReachable: whether what stands behind a virtual device answers for itself now.
    init(
        _ context: GatewayContext, plays: PlaySessions, senders: any InternalSenders,
        isReachable: @escaping @Sendable (_ device: String) -> Bool
    ) {
        self.isReachable = isReachable
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
            let stop = ReceiverRequest.stop(sessionID: session.id, requestID: .spontaneous).payload
            // An app that has ended already is none that the device could stop.
            let status =
                if let status = try await self.ask(session.device, stop) {
                    status
                } else {
                    try await self.ask(session.device, ReceiverRequest.getStatus(requestID: .spontaneous).payload)
                }
            guard let status, status.application(sessionID: session.id) == nil else {
                throw GatewayError(.unavailable, "the device did not end it")
            }
            self.plays.forget(session)
            self.told.withLock { _ = $0.remove(session) }
            self.logger.info("An app has played for as long as it may", metadata: metadata)
        } catch {
            if error.code == .unknownDevice { return self.plays.forget(session) }
            self.plays.tryAgain(session)
            guard self.told.withLock({ $0.insert(session).inserted }) else { return }
            self.logger.warning(
                "An app that has played for as long as it may was not ended; that is tried again",
                metadata: metadata.merging(["reason": "\(error)"]) { $1 })
        }
    }

    /// What the platform of a device answers; nil when that is no status.
    private func ask(_ device: String, _ request: CastMessage.Payload) async throws(GatewayError) -> ReceiverStatus? {
        // The gateway answers for a device that is out of reach, which plays on by itself.
        let isReachable = { () throws(GatewayError) in
            guard self.isReachable(device) else { throw GatewayError(.unavailable, "the device is out of reach") }
        }
        try isReachable()
        let answer = try await self.senders.send(
            request, namespace: .receiver, to: AppAddress(device: device), as: Self.origin, wait: Self.patience)
        try isReachable()
        return answer.flatMap { ReceiverStatusPayload($0)?.status }
    }
}
