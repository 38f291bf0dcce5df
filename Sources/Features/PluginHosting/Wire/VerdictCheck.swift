import CastWire
import GatewayCore
import PluginKit

/// Checks a plugin's verdict on a message: whether the plugin's phase allows it, whether its messages fit into a frame, and
/// which of its effects are granted.
struct VerdictCheck {
    /// A verdict that passed.
    struct Outcome {
        /// The verdict for the router.
        var verdict: Verdict
        /// The effects that the plugin's host carries out: on the store and in the plugin's log.
        var hostEffects: [Effect] = []
        /// The effects that were not granted, and are left out.
        var refused: [String] = []
    }

    /// The longest reason, in bytes; it is counted, and told to the sender.
    private static let reasonLimit = 64
    /// The longest text beside a reason, in bytes.
    private static let messageLimit = 1_024

    let bounds: PluginBounds
    let message: RoutedMessage
    let phase: RoutingPhase

    /// Checks any verdict but a deferral.
    /// - Throws: ``GatewayError`` with `handlerFailed` for a disposition that the phase does not allow, or whose payload is
    ///   too large.
    func outcome(of verdict: Verdict) throws(GatewayError) -> Outcome {
        var outcome = Outcome(verdict: Verdict(try self.disposition(verdict.disposition)))
        for effect in verdict.effects { self.add(effect, to: &outcome) }
        return outcome
    }

    private func disposition(_ disposition: Disposition) throws(GatewayError) -> Disposition {
        let isFilter = self.phase == .filter
        switch disposition {
        case .pass: return disposition
        case .forward(nil) where !isFilter, .handled where !isFilter: return disposition
        case .rewrite(let payload) where isFilter:
            try self.checkSize(payload)
            return disposition
        case .forward(.some(let payload)) where !isFilter:
            try self.checkSize(payload)
            return disposition
        case .reply(let payload):
            try self.checkSize(payload)
            guard let id = self.message.summary.requestID else { return disposition }
            return .reply(payload.answering(id))
        case .reject(let rejection):
            return .reject(
                Rejection(
                    rejection.reason.cut(to: Self.reasonLimit), rejection.message?.cut(to: Self.messageLimit)))
        case .drop(let reason): return .drop(reason.cut(to: Self.reasonLimit))
        default:
            throw GatewayError(.handlerFailed, "a verdict that the phase \(self.phase.rawValue) does not allow")
        }
    }

    /// - Throws: ``GatewayError`` when no channel would take the message with this payload.
    private func checkSize(_ payload: CastMessage.Payload) throws(GatewayError) {
        var message = self.message.message
        message.payload = payload
        guard message.isSendable else {
            throw GatewayError(.handlerFailed, "a payload that is too large for a message")
        }
    }

    private func add(_ effect: Effect, to outcome: inout Outcome) {
        // A message of the device to all senders has all of them for its sender.
        let sender =
            self.message.direction == .toReceiver ? self.message.message.source : self.message.message.destination
        let refusal = self.bounds.refusal(
            of: effect, in: self.message.message.namespace, on: self.message.leg, answersAll: sender == .broadcast)
        if let refusal {
            outcome.refused.append(refusal.what)
            return
        }
        switch effect {
        case .put, .delete, .log: outcome.hostEffects.append(effect)
        case .emit: outcome.verdict.effects.append(effect)
        case .replyToSender, .broadcast, .sendToReceiver:
            guard self.message.message(of: effect)?.isSendable ?? false else {
                outcome.refused.append("a message of more than \(CastMessage.maximumBodyLength) bytes")
                return
            }
            outcome.verdict.effects.append(effect)
        }
    }
}
