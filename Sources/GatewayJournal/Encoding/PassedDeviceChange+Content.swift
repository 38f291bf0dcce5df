import CastWire
import GatewayCore

extension PassedDeviceChange {
    /// What the event says.
    var data: JSONObject {
        switch self {
        case .opened, .closed: [:]
        case .appStopped(let app, let reason):
            [
                "app": .string(app.appID.rawValue), "session_id": .string(app.sessionID),
                "display_name": .string(app.displayName), "reason": .string(reason.rawValue),
            ]
        case .volumeLowered(let from, let to): ["level": .number(from), "max": .number(to)]
        case .rulePaused(let rule): ["rule": .string(rule.rawValue)]
        }
    }
}
