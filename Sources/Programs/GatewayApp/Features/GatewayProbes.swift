import CastWire
import ControlAPI
import FeatureContract
import NIOCore
import SystemPrimitives

/// How the gateway is, for those who ask over HTTP: the same answers on every listener.
struct GatewayProbes: Sendable {
    /// How long the event loops have for one turn before they count as stuck.
    private static let livenessTimeout = Duration.seconds(2)

    let context: GatewayContext
    /// All features of the gateway.
    let features: [any GatewayFeature]

    /// What a listener answers with.
    /// - Parameter trace: what a plugin's wire says from now on; nil for one that does not run.
    func probes(trace: @escaping @Sendable (_ plugin: String) -> AsyncStream<String>? = { _ in nil }) -> ControlProbes {
        ControlProbes(
            liveness: { await self.liveness() }, readiness: { self.readiness(isVerbose: $0) },
            version: { ControlAnswer(["name": "castway", "version": .string(self.context.version)]) },
            metrics: self.context.metrics, trace: trace)
    }

    /// Whether every event loop takes a turn.
    private func liveness() async -> ControlAnswer {
        let loops = self.context.allLoops
        let isAlive = await LoopSurvey(of: loops, within: Self.livenessTimeout) { _ in }.silentCount == 0
        if isAlive { return ControlAnswer(["status": "alive"]) }
        return .problem(status: 503, code: "not_alive", "an event loop does not turn")
    }

    /// Whether senders can use the gateway, and no feature is an obstacle.
    private func readiness(isVerbose: Bool) -> ControlAnswer {
        let readiness = GatewayReadiness(of: self.features, self.context.lifecycle, isVerbose: isVerbose)
        let body = JSONObject(
            [("phase", .string(readiness.phase))] + readiness.details.members.map { ($0.name, $0.value) })
        // In a problem `status` is that of HTTP; whether it is ready or not, `phase` says how far the gateway is.
        guard !readiness.isReady else {
            return ControlAnswer(
                JSONObject([("status", .string(readiness.phase))] + body.members.map { ($0.name, $0.value) }))
        }
        return .problem(
            status: 503, code: "not_ready", readiness.obstacles.joined(separator: "; "), members: body)
    }
}
