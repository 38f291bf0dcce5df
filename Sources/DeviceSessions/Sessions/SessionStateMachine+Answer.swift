import CastClient
import CastWire
import GatewayCore

extension SessionStateMachine.Answer {
    /// Reads what became of a request.
    init(_ outcome: RequestOutcome) {
        switch outcome {
        case .completed(let reply):
            self = ReceiverStatusPayload(json: reply).status.map(Self.status) ?? .done
        case .failed(let error):
            self = .failed(SessionFailure(error.code, error.message, reason: error.reason ?? error.extendedError))
        case .aborted: self = .failed(SessionFailure(.cancelled, "the request was cancelled"))
        case .timedOut: self = .failed(SessionFailure(.timeout, "the device did not answer in time"))
        }
    }
}
