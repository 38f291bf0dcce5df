/// What a publisher has to tell. Services go by the key under which they were given.
public enum PublishEvent: Hashable, Sendable {
    /// Nothing can be announced, for this reason; it is made up for by itself.
    case blocked(reason: String)
    /// A service is announced under this name.
    case published(key: String, instance: String)
    /// Another has taken the name, so this one is tried.
    case renamed(key: String, instance: String)
    /// A service cannot be announced, for this reason; it is tried again.
    case failed(key: String, reason: String)
}
