/// What a plugin finds in its environment.
enum PluginEnvironment {
    /// Tells a program that a gateway has started it, so that one started by hand can say what it is. No secret.
    static let cookie = "castway-plugin"
}
