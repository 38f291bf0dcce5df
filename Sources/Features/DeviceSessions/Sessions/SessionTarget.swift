package import CastClient
package import CastWire
import GatewayCore

/// The session that a caller wants.
package enum SessionTarget: Sendable {
    /// An app, which is joined when it runs, and launched otherwise.
    case app(AppID, LaunchOptions)
    /// A session that runs, by the device's id of it; nothing is launched.
    case session(String)

    /// True if a session is that.
    func isMet(by session: CastSessionFacts) -> Bool {
        switch self {
        case .session(let id): session.sessionID == id
        case .app(_, let options) where options.relaunchesIfRunning: false
        case .app(let app, _): session.appID == app || session.app?.matches(app) == true
        }
    }

    /// Begins it on a device.
    /// - Returns: nil when the device has a session already.
    func begin(on device: DeviceSession, number: Int) -> SessionHost? {
        switch self {
        case .app(let app, let options): device.startSession(number: number, app: app, options: options)
        case .session(let id): device.joinSession(number: number, sessionID: id)
        }
    }
}
