import PluginKit

/// What a life of a plugin tells its service.
enum LifeNews: Sendable {
    /// It answers messages.
    case ready(InitializeResult)
    /// It feels so; nil when it is well.
    case felt(String?)
    /// Nothing of it is left.
    case ended(PluginEnd)
}
