/// Thrown by a handler or a filter: the message is refused, and its sender told why.
public struct PluginRejection: Error, Hashable, Sendable {
    /// Why, for programs, such as `NOT_ALLOWED`.
    public var reason: String
    /// Why, for people.
    public var message: String?

    /// Refuses.
    public init(_ reason: String, _ message: String? = nil) {
        self.reason = reason
        self.message = message
    }

    /// The payload is not what its type takes.
    public static func invalidParameters(_ message: String) -> PluginRejection {
        PluginRejection("INVALID_PARAMS", message)
    }
}
