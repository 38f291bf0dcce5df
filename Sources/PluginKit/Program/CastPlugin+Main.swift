import Glibc

extension CastPlugin {
    /// The program of a plugin: `@main` calls it. Ends with 0 when the gateway ends it, with 78 when the configuration
    /// makes no sense, with 64 when no gateway started it.
    @concurrent
    public static func main() async {
        let code = await PluginProgram.run(Self.self)
        // Other threads may still be busy; nothing is taken from under them.
        fflush(nil)
        _exit(code)
    }
}
