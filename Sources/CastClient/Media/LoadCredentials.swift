/// Who loads, for the app: opaque text that is never logged.
public struct LoadCredentials: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// Text for the app, a token for example.
    public var credentials: String
    /// Where the credentials come from, such as `web` or a word of the sender's own.
    public var type: String?

    /// Makes credentials.
    public init(_ credentials: String, type: String? = nil) {
        self.credentials = credentials
        self.type = type
    }

    /// The type alone.
    public var description: String { "credentials of type \(self.type ?? "unknown")" }
    /// The type alone.
    public var debugDescription: String { self.description }
}
