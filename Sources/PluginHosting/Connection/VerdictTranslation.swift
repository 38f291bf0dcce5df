import CastWire
import GatewayCore
import PluginKit

/// Turns a plugin's verdict on a message into the router's.
struct VerdictTranslation {
    /// What comes out.
    struct Outcome {
        var verdict: Verdict
        /// What others than the router do.
        var deeds: [PluginDeed] = []
        /// What was not granted.
        var refused: [String] = []
    }

    let bounds: PluginBounds
    let message: RoutedMessage
    let phase: PluginPhase

    /// Translates anything but a deferral.
    /// - Throws: ``GatewayError`` with `handlerFailed` for what the phase does not allow.
    func outcome(of verdict: PluginVerdict) throws(GatewayError) -> Outcome {
        var outcome = Outcome(verdict: Verdict(try self.disposition(verdict.disposition)))
        for effect in verdict.effects { self.add(effect, to: &outcome) }
        return outcome
    }

    private func disposition(_ disposition: PluginVerdict.Disposition) throws(GatewayError) -> Disposition {
        let isFilter = self.phase == .filter
        switch disposition {
        case .pass: return .pass
        case .rewrite(let payload) where isFilter: return .rewrite(self.carrying(payload))
        case .forward(let payload) where !isFilter: return .forward(payload.map(self.carrying))
        case .reply(let payload) where !isFilter:
            guard let id = self.message.summary.requestID else { return .reply(payload) }
            return .reply(payload.answering(id))
        case .handled where !isFilter: return .handled
        case .reject(let reason, let message): return .reject(Rejection(reason: reason, message: message))
        case .drop(let reason): return .drop(reason)
        default:
            throw GatewayError(.handlerFailed, "a verdict that the phase \(self.phase.rawValue) does not allow")
        }
    }

    private func carrying(_ payload: CastMessage.Payload) -> CastMessage {
        var message = self.message.message
        message.payload = payload
        return message
    }

    private func add(_ effect: PluginEffect, to outcome: inout Outcome) {
        switch effect {
        case .replyToSender(let namespace, let payload):
            guard let namespace = self.namespace(namespace, &outcome) else { return }
            outcome.verdict.effects.append(
                .sendToSenders(
                    CastMessage(source: self.app, destination: self.sender, namespace: namespace, payload: payload)))
        case .broadcast(let namespace, let payload):
            guard self.maySend(&outcome), let namespace = self.namespace(namespace, &outcome) else { return }
            outcome.verdict.effects.append(
                .sendToSenders(
                    CastMessage(source: self.app, destination: .broadcast, namespace: namespace, payload: payload)))
        case .sendToReceiver(let namespace, let payload):
            guard self.maySend(&outcome), let namespace = self.namespace(namespace, &outcome) else { return }
            outcome.verdict.effects.append(
                .sendToReceiver(
                    CastMessage(source: self.sender, destination: self.app, namespace: namespace, payload: payload)))
        case .emit(let event, let data, _):
            guard self.bounds.allows(event: event) else {
                outcome.refused.append("the event '\(event)'")
                return
            }
            outcome.verdict.effects.append(.emit(.custom(name: event, data: data)))
        case .put(let key, let value): outcome.deeds.append(.put(key: key, value: value))
        case .delete(let key): outcome.deeds.append(.delete(key: key))
        case .log(let level, let text): outcome.deeds.append(.log(level, text))
        }
    }

    private var app: EndpointID {
        self.message.direction == .toReceiver ? self.message.message.destination : self.message.message.source
    }

    private var sender: EndpointID {
        self.message.direction == .toReceiver ? self.message.message.source : self.message.message.destination
    }

    private func maySend(_ outcome: inout Outcome) -> Bool {
        guard self.bounds.grant.send == .none else { return true }
        outcome.refused.append("to send to others in the session")
        return false
    }

    private func namespace(_ namespace: Namespace?, _ outcome: inout Outcome) -> Namespace? {
        guard let namespace, namespace != self.message.message.namespace else { return self.message.message.namespace }
        guard self.bounds.covers(namespace) else {
            outcome.refused.append("the namespace '\(namespace)'")
            return nil
        }
        return namespace
    }
}
