/// Source, destination and namespace of messages; never changes, so any number of messages may share it.
///
/// What every message is asked on its way is answered here once, without handing out a name: a name that is handed out
/// is retained and released, and half of a forwarded message's CPU was that.
///
/// Messages that follow each other on a channel with the same names have the same object, so whoever found out
/// something about the one before needs to compare nothing but the object.
public final class MessageNames: Sendable {
    /// The sending end.
    public let source: EndpointID
    /// The receiving end, or `*`.
    public let destination: EndpointID
    /// What the payload means.
    public let namespace: Namespace
    let isBroadcast: Bool
    let isToPlatform: Bool
    /// How many bytes the names take in a message.
    let serializedLength: Int

    /// Puts names together.
    public init(source: EndpointID, destination: EndpointID, namespace: Namespace) {
        self.source = source
        self.destination = destination
        self.namespace = namespace
        self.isBroadcast = destination == .broadcast
        self.isToPlatform = destination == .platformReceiver
        self.serializedLength =
            ProtobufWriter.length(ofBytes: source.rawValue.utf8.count)
            + ProtobufWriter.length(ofBytes: destination.rawValue.utf8.count)
            + ProtobufWriter.length(ofBytes: namespace.rawValue.utf8.count)
    }
}

extension MessageNames: Hashable {
    /// True when all names are equal.
    public static func == (left: MessageNames, right: MessageNames) -> Bool {
        left === right
            || left.namespace == right.namespace && left.source == right.source
                && left.destination == right.destination
    }

    /// Hashes the names.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.source)
        hasher.combine(self.destination)
        hasher.combine(self.namespace)
    }
}
