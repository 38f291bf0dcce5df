/// A request of a session to a device's platform.
enum SessionRequest: Hashable, Sendable {
    case status
    case launch
    case stop(sessionID: String)
}
