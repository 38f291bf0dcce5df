/// How far a plugin is.
enum PluginLife: String {
    /// Nothing was said.
    case new
    /// It has its configuration.
    case initialized
    /// It takes messages.
    case ready
    /// It takes no more.
    case draining
    /// All is over.
    case stopped
}
