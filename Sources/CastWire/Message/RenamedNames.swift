/// What the last message of a channel was renamed to; see ``CastMessage/rename(source:destination:recalling:)``. Spares
/// an allocation for each relayed message.
public struct RenamedNames: Sendable {
    private var last: (from: MessageNames, to: MessageNames)?

    /// Starts without any.
    public init() {}

    mutating func names(from names: MessageNames, source: EndpointID?, destination: EndpointID?) -> MessageNames {
        if let last, last.from === names, source.map({ $0 == last.to.source }) ?? true,
            destination.map({ $0 == last.to.destination }) ?? true
        {
            return last.to
        }
        let made = MessageNames(
            source: source ?? names.source, destination: destination ?? names.destination, namespace: names.namespace)
        self.last = (names, made)
        return made
    }
}
