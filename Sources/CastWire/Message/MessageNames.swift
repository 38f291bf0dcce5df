/// Source, destination and namespace of messages; never changes, so any number of messages may share it.
final class MessageNames: Sendable {
    let source: EndpointID
    let destination: EndpointID
    let namespace: Namespace

    init(source: EndpointID, destination: EndpointID, namespace: Namespace) {
        self.source = source
        self.destination = destination
        self.namespace = namespace
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
