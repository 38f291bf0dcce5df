/// Source, destination and namespace of messages; never changes, so any number of messages may share it.
///
/// What every message is asked on its way is answered here once, without handing out a name: a name that is handed out
/// is retained and released, and half of a forwarded message's CPU was that.
final class MessageNames: Sendable {
    let source: EndpointID
    let destination: EndpointID
    let namespace: Namespace
    let isBroadcast: Bool
    let isToPlatform: Bool

    init(source: EndpointID, destination: EndpointID, namespace: Namespace) {
        self.source = source
        self.destination = destination
        self.namespace = namespace
        self.isBroadcast = destination == .broadcast
        self.isToPlatform = destination == .platformReceiver
    }
}

extension MessageNames: Hashable {
    static func == (left: MessageNames, right: MessageNames) -> Bool {
        left === right
            || left.namespace == right.namespace && left.source == right.source
                && left.destination == right.destination
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(self.source)
        hasher.combine(self.destination)
        hasher.combine(self.namespace)
    }
}
