import CastClient
import NIOCore

/// The purpose of a request of Castway's own to a device's platform.
enum PlatformTicket {
    case session(SessionRequest)
    case call(EventLoopPromise<RequestOutcome>, PlatformCommand)
}
