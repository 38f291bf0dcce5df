import CastWire
import GatewayCore
import NIOCore

extension SessionStateMachine {
    /// What the owner does.
    enum Action: Equatable {
        /// Asks the platform, and calls ``SessionStateMachine/answered(_:_:at:)``.
        case ask(SessionRequest)
        /// Stops waiting for an answer.
        case cancelRequests
        /// Opens Castway's virtual connection to an app.
        case connect(EndpointID)
        /// Closes it.
        case close(EndpointID)
        /// Publishes a change, with the facts as they are now.
        case emit(CastSessionChange)
        /// The app can be spoken to: whoever plays media on it begins, or begins again.
        case attach(ReceiverApplication)
        /// The app cannot be spoken to: for a while, or for good.
        case detach(isForGood: Bool)
        /// Writes the session down.
        case save
        /// Strikes it out.
        case forget
        /// Calls ``SessionStateMachine/timerFired(at:)`` then; an earlier such order is void.
        case wait(until: NIODeadline)
        /// Hangs up, unless others need the channel.
        case hangUp
        /// Tells whoever waits.
        case settle(SessionOperation, SessionFailure?)
    }

    /// What became of a request.
    enum Answer: Equatable {
        /// It was carried out; for the first two requests this is the status.
        case status(ReceiverStatus)
        /// It was carried out, and the answer says nothing.
        case done
        case failed(SessionFailure)
    }

    enum State: Equatable {
        /// It waits for the device, or asks it.
        case starting(Start)
        /// The app can be spoken to.
        case connected(ReceiverApplication)
        /// The device is out of reach, and nobody has been told.
        case lost(ReceiverApplication)
        case suspended(ReceiverApplication, SessionSuspendReason)
        /// The device is asked what runs.
        case resuming(ReceiverApplication, SessionResumeCause)
        /// The app is asked to stop.
        case stopping(ReceiverApplication)
        case ended
    }

    /// How far a start is.
    struct Start: Equatable {
        enum Phase: Equatable {
            /// The device is out of reach.
            case linking
            /// The device is asked what runs.
            case asking
            /// The app was launched; it is known which session ran before.
            case launching(before: String?)
            /// The launch was cancelled, and is tried again then; it is known which session ran before it.
            case pausing(until: NIODeadline, before: String?)
        }

        var phase: Phase
        /// When to give up; the launch itself has a time of its own.
        var deadline: NIODeadline
        /// Whether a launch has been cancelled already.
        var wasCancelled = false
    }
}
