import CastWire
import GatewayCore

/// The state of a session of Castway's own; ``SessionStateMachine`` says what leads from one to another.
enum CastSessionState: Equatable {
    /// The app is being launched or joined, or the device is waited for.
    case starting
    /// The app can be spoken to, but for moments in which it is asked whether it still runs.
    case connected
    /// The device is out of reach, and this has not been told.
    case lost(ReceiverApplication)
    case suspended(ReceiverApplication, SessionSuspendReason)
    case resuming(ReceiverApplication, SessionResumeCause)
    case stopping(ReceiverApplication)
    /// The app is gone for that reason, and the device has yet to say which one took its place, if any.
    case gone(ReceiverApplication, SessionFailure)
    case ended

    /// The app as the device described it last, where the state alone knows it.
    var application: ReceiverApplication? {
        switch self {
        case .starting, .connected, .ended: nil
        case .lost(let app), .suspended(let app, _), .resuming(let app, _), .stopping(let app), .gone(let app, _): app
        }
    }

    var isSuspended: Bool { if case .suspended = self { true } else { false } }

    /// True while the device is asked whether a suspended session still runs.
    var isResuming: Bool { if case .resuming = self { true } else { false } }

    /// True while it is waited for what took the place of the app, which is gone.
    var isGone: Bool { if case .gone = self { true } else { false } }

    /// The same in the words of the Cast SDKs.
    var connection: SessionConnectionState {
        switch self {
        case .starting, .lost, .resuming: .connecting
        case .connected: .connected
        case .stopping, .gone: .disconnecting
        case .suspended, .ended: .disconnected
        }
    }

    var suspendReason: SessionSuspendReason { if case .suspended(_, let reason) = self { reason } else { .none } }
}
