import CastWire
import FeatureContract

/// Whether senders can use the gateway, and what each feature says of that: what `/readyz` and the operation `health` tell.
struct GatewayReadiness: Sendable {
    /// Whether they can, and no feature is an obstacle.
    let isReady: Bool
    /// How far the gateway is; `waiting` when only a feature is an obstacle.
    let phase: String
    /// Why they cannot; nothing when they can.
    let obstacles: [String]
    /// What the features say, from the senders inwards, so the virtual devices first.
    let details: JSONObject

    /// Asks the features.
    /// - Parameter isVerbose: whether the details are wanted.
    init(of features: [any GatewayFeature], _ lifecycle: GatewayLifecycle, isVerbose: Bool) {
        let phase = lifecycle.phase
        let obstacles = features.compactMap(\.obstacle)
        self.isReady = phase == .ready && obstacles.isEmpty
        self.phase = phase == .ready && !self.isReady ? "waiting" : phase.rawValue
        self.obstacles = phase == .ready ? obstacles : ["the gateway is \(phase.rawValue)"]
        var details: JSONObject = [:]
        if isVerbose {
            for detail in features.reversed().flatMap(\.readinessDetails) { details[detail.name] = detail.value }
        }
        self.details = details
    }
}
