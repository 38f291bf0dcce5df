package import CastWire
package import PluginKit

extension PluginBounds {
    /// Why an effect beside a verdict is refused; nil when it is granted.
    /// - Parameters:
    ///   - namespace: the namespace of the message that was decided about, in which every verdict may speak.
    ///   - answersAll: whether the message came from a device to all its senders, so that its sender is everybody.
    package func refusal(of effect: Effect, in namespace: Namespace, answersAll: Bool) -> NotGranted? {
        switch effect {
        case .replyToSender(let other, _):
            if answersAll, self.grant.send == .none { return NotGranted("to send to others in the session") }
            return self.refusal(of: other, in: namespace)
        case .broadcast(let other, _), .sendToReceiver(let other, _):
            guard self.grant.send != .none else { return NotGranted("to send to others in the session") }
            return self.refusal(of: other, in: namespace)
        case .emit(let event, _, _): return self.allows(event: event) ? nil : NotGranted("the event '\(event)'")
        case .put, .delete: return self.allowsStorage ? nil : NotGranted("a store (grant.storage)")
        case .log: return nil
        }
    }

    private func refusal(of other: Namespace?, in namespace: Namespace) -> NotGranted? {
        guard let other, other != namespace, !self.covers(other) else { return nil }
        return NotGranted("the namespace '\(other)'")
    }
}
