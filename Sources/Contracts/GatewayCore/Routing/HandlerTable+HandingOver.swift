import CastWire

/// To whom a filter may hand a message over: ``Disposition/handOver(_:_:)``.
extension HandlerTable {
    /// The claim by which a handler decides alone about a message; nil when the message must not go to it.
    ///
    /// Of the claims of the handler as an owner on this virtual device it is the most specific one that wants the message. A
    /// handler that need not claim a message gets it by its first claim there, and with that its deadline and failure policy.
    func entry(of name: String, takingOver routed: RoutedMessage) -> Entry? {
        guard !routed.isOriginated(by: name) else { return nil }
        let own = self.entries.filter { entry in
            entry.handler.name == name && entry.claim.phase == .handle && entry.claim.leg == routed.leg
                && entry.claim.devices?.contains(routed.device.name) ?? true
        }
        let wanting = own.filter { entry in
            entry.claim.directions.contains(routed.direction) && entry.claim.pattern.matches(routed.message.namespace)
                && entry.wants(type: routed.summary.type, device: routed.device.name, session: routed.session)
        }
        let best = wanting.max { $0.claim.pattern.specificity < $1.claim.pattern.specificity }
        return best ?? own.first { !$0.handler.isConfinedToClaims }
    }
}

extension RoutedMessage {
    /// Whether a handler of this name has sent the message, or waits for it as an answer.
    func isOriginated(by name: String) -> Bool { self.origin.map { !$0.isReaction && $0.name == name } ?? false }
}
