import CastClient
import CastWire
import NIOCore
import SystemPrimitives

/// A caller's request to the platform of a device, and whose command it is.
struct PlatformCommand: Sendable {
    /// The caller's command; nil for a question.
    let trace: CommandTrace?
    /// The state that shows, besides an answer, that it was carried out; nil when none does.
    let wish: PlatformExpectation?

    init(_ request: JSONObject, in namespace: Namespace, after status: ReceiverStatus?) {
        let message = CastMessage(
            source: .platformSender, destination: .platformReceiver, namespace: namespace, payload: .json(request))
        self.trace = message.isCommand ? CommandTrace.current : nil
        self.wish = PlatformExpectation(request, in: namespace, after: status)
    }
}

/// A caller's request that may wait until an answer to another one of its kind has come.
struct PlatformStep: Sendable {
    /// The kinds of changes to the device's volume.
    static let volumeKinds = ["level", "muted", "level and muted"].map {
        RequestTracker<PlatformTicket>.Kind("SET_VOLUME", target: $0)
    }

    /// The request without its number.
    let request: JSONObject
    let namespace: Namespace
    let command: PlatformCommand
    let promise: EventLoopPromise<RequestOutcome>
}
