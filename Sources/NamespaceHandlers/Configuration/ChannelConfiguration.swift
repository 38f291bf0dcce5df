/// `channels[]`: a custom namespace that Castway answers itself.
public struct ChannelConfiguration: Sendable, Equatable {
    /// What answers on the namespace.
    public enum Handler: String, Sendable, CaseIterable {
        /// Sends every message back to where it came from.
        case echo
        /// Sends every message to every sender of the same app.
        case broadcast
    }

    /// The namespace, `urn:x-cast:…`.
    public var namespace: String
    /// What answers on it.
    public var handler: Handler

    /// The name under which what answers is registered as a handler.
    public var handlerName: String { "channel \(self.namespace)" }

    /// Makes a configuration from its parts.
    public init(namespace: String, handler: Handler) {
        self.namespace = namespace
        self.handler = handler
    }
}
