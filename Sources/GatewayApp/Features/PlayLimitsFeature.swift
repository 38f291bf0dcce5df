import CastWire
import GatewayCore
import Logging
import NamespaceHandlers
import ServiceLifecycle

/// Ends the sessions of apps that have played for as long as a rule lets them.
final class PlayLimitsFeature: GatewayFeature, Service, CustomStringConvertible {
    let name = "play limits"
    /// The name of the handler that judges by rules, so that these do not judge what they give rise to.
    private static let origin = MessageOrigin("rules", from: .own)
    /// How long a device may take to end a session.
    private static let patience = Duration.seconds(10)

    private let plays: PlaySessions
    private let senders: any InternalSenders
    private let isReachable: @Sendable (_ device: String) -> Bool
    private let pause: Duration
    private let logger: Logger

    /// - Parameters:
    ///   - plays: how long apps have played.
    ///   - senders: speak to the virtual devices.
    ///   - pause: how long after a try that has failed the next one comes.
    ///   - isReachable: whether what stands behind a virtual device answers for itself now.
    init(
        _ logger: Logger, plays: PlaySessions, senders: any InternalSenders, pause: Duration = .seconds(15),
        isReachable: @escaping @Sendable (_ device: String) -> Bool
    ) {
        self.isReachable = isReachable
        self.pause = pause
        self.plays = plays
        self.senders = senders
        self.logger = logger
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

    /// Tries until nothing is left to end: the device may be out of reach, and its app plays on by itself.
    func end(_ session: PlaySessions.Session) async {
        let metadata: Logger.Metadata = [
            "device": "\(session.device)", "session": "\(session.id)", "rule": "\(session.rule)",
        ]
        var isTold = false
        while self.plays.isOver(session) {
            do throws(GatewayError) {
                try await self.stop(session)
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

    private func stop(_ session: PlaySessions.Session) async throws(GatewayError) {
        let stop = ReceiverRequest.stop(sessionID: session.id, requestID: .spontaneous).payload
        var status = try await self.ask(session.device, stop)
        if status == nil {
            // An app that has ended already is none that the device could stop.
            status = try await self.ask(session.device, ReceiverRequest.getStatus(requestID: .spontaneous).payload)
        }
        guard let status, status.application(sessionID: session.id) == nil else {
            throw GatewayError(.unavailable, "the device did not end it")
        }
    }

    /// What the platform of a device answers; nil when that is no status.
    private func ask(_ device: String, _ request: CastMessage.Payload) async throws(GatewayError) -> ReceiverStatus? {
        // The gateway answers for a device that is out of reach, which plays on by itself.
        func requireReach() throws(GatewayError) {
            guard self.isReachable(device) else { throw GatewayError(.unavailable, "the device is out of reach") }
        }
        try requireReach()
        let answer = try await self.senders.send(
            request, namespace: .receiver, to: AppAddress(device: device), as: Self.origin, wait: Self.patience)
        try requireReach()
        return answer.flatMap { ReceiverStatusPayload($0)?.status }
    }
}
