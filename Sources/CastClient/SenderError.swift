public import CastWire

/// Why a device did not do what a sender asked for.
public enum SenderError: Error, Hashable, Sendable {
    /// No channel to the device came to be.
    case unreachable(address: String, reason: String)
    /// The channel broke.
    case disconnected(reason: String)
    /// The device did not answer in time.
    case timedOut(request: String, after: Duration)
    /// The device closed the virtual connection to this end: the app is gone, or never was there.
    case connectionClosed(EndpointID)
    /// The device does not launch the app; `reason` is its word, such as `NOT_FOUND`.
    case launchRefused(app: AppID, reason: String)
    /// The device refuses a request with this type, such as `INVALID_REQUEST`, and perhaps a reason.
    case refused(type: String, reason: String?)
    /// The app does not run.
    case appNotRunning(AppID)
    /// No app runs that plays media.
    case noMediaApp
    /// The message does not fit into a frame.
    case messageTooLong(bytes: Int)
}

extension SenderError: CustomStringConvertible {
    /// One sentence for people, without a full stop.
    public var description: String {
        switch self {
        case .unreachable(let address, let reason): "cannot reach \(address): \(reason)"
        case .disconnected(let reason): "the connection was lost: \(reason)"
        case .timedOut(let request, let time): "no answer to \(request) within \(time.secondsText)"
        case .connectionClosed(let endpoint): "the device closed the connection to '\(endpoint)'"
        case .launchRefused(let app, let reason): "the device does not launch app \(app): \(reason)"
        case .refused(let type, let reason): "the device refuses: \(type)\(reason.map { ", \($0)" } ?? "")"
        case .appNotRunning(let app): "app \(app) does not run"
        case .noMediaApp: "no app runs that plays media"
        case .messageTooLong(let bytes): "the message has \(bytes) bytes, more than fit into a frame"
        }
    }
}

extension Duration {
    fileprivate var secondsText: String {
        let seconds = Double(self.components.seconds) + Double(self.components.attoseconds) / 1e18
        return seconds == seconds.rounded() ? "\(Int(seconds)) s" : "\(seconds) s"
    }
}
