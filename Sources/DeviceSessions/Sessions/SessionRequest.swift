/// What a session asks of a device's platform.
enum SessionRequest: Hashable, Sendable {
    /// GET_STATUS.
    case status
    /// LAUNCH of the session's app.
    case launch
    /// STOP of a session.
    case stop(sessionID: String)
}
