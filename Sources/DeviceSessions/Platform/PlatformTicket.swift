import CastClient
import NIOCore

/// What Castway's own requests to a device's platform are known by.
enum PlatformTicket {
    /// A step of the session.
    case session(SessionRequest)
    /// A caller waits for it.
    case call(EventLoopPromise<RequestOutcome>, PlatformCommand)
}
