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

    /// So many bytes has a reason, which is counted and told to the sender.
    private static let reasonLimit = 64
    /// So many bytes has the text beside it.
    private static let messageLimit = 1_024

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
        case .rewrite(let payload) where isFilter: return .rewrite(try self.carrying(payload))
        case .forward(nil) where !isFilter: return .forward(nil)
        case .forward(.some(let payload)) where !isFilter: return .forward(try self.carrying(payload))
        case .reply(let payload):
            _ = try self.carrying(payload)
            guard let id = self.message.summary.requestID else { return .reply(payload) }
            return .reply(payload.answering(id))
        case .handled where !isFilter: return .handled
        case .reject(let reason, let message):
            return .reject(
                Rejection(reason: reason.cut(to: Self.reasonLimit), message: message?.cut(to: Self.messageLimit)))
        case .drop(let reason): return .drop(reason.cut(to: Self.reasonLimit))
        default:
            throw GatewayError(.handlerFailed, "a verdict that the phase \(self.phase.rawValue) does not allow")
        }
    }

    /// - Throws: ``GatewayError`` when no sender and no device would take it.
    private func carrying(_ payload: CastMessage.Payload) throws(GatewayError) -> CastMessage {
        var message = self.message.message
        message.payload = payload
        guard message.isSendable else {
            throw GatewayError(.handlerFailed, "a payload that is too large for a message")
        }
        return message
    }

    private func add(_ effect: PluginEffect, to outcome: inout Outcome) {
        // What the device says to all has all for its sender.
        let refusal = self.bounds.refusal(
            of: effect, in: self.message.message.namespace, answersAll: self.sender == .broadcast)
        if let refusal {
            outcome.refused.append(refusal.what)
            return
        }
        switch effect {
        case .replyToSender(let namespace, let payload):
            guard let message = self.message(from: self.app, to: self.sender, namespace, payload, &outcome)
            else { return }
            outcome.verdict.effects.append(.sendToSenders(message))
        case .broadcast(let namespace, let payload):
            guard let message = self.message(from: self.app, to: .broadcast, namespace, payload, &outcome)
            else { return }
            outcome.verdict.effects.append(.sendToSenders(message))
        case .sendToReceiver(let namespace, let payload):
            guard let message = self.message(from: self.sender, to: self.app, namespace, payload, &outcome)
            else { return }
            outcome.verdict.effects.append(.sendToReceiver(message))
        case .emit(let event, let data, _):
            outcome.verdict.effects.append(.emit(.custom(name: event, data: data)))
        case .put(let key, let value): outcome.deeds.append(.put(key: key, value: value))
        case .delete(let key): outcome.deeds.append(.delete(key: key))
        case .log(let level, let text): outcome.deeds.append(.log(level, text))
        }
    }

    private func message(
        from source: EndpointID, to destination: EndpointID, _ namespace: Namespace?, _ payload: CastMessage.Payload,
        _ outcome: inout Outcome
    ) -> CastMessage? {
        let message = CastMessage(
            source: source, destination: destination, namespace: namespace ?? self.message.message.namespace,
            payload: payload)
        guard message.isSendable else {
            outcome.refused.append("a message of more than \(CastMessage.maximumBodyLength) bytes")
            return nil
        }
        return message
    }

    private var app: EndpointID {
        self.message.direction == .toReceiver ? self.message.message.destination : self.message.message.source
    }

    private var sender: EndpointID {
        self.message.direction == .toReceiver ? self.message.message.source : self.message.message.destination
    }
}

extension CastMessage {
    fileprivate var isSendable: Bool { self.serializedLength <= Self.maximumBodyLength }
}
