import Glibc
public import PluginHosting

/// What is started to test a plugin: just what the gateway would start.
public struct SubjectProgram: Sendable {
    /// `castway-launch`, by its path.
    public var launcher: String
    /// The plugin, with all that `gateway.yaml` could say of it.
    public var instance: PluginInstance

    /// Describes a program.
    public init(_ instance: PluginInstance, launcher: String = LauncherPath.found) {
        self.instance = instance
        self.launcher = launcher
    }

    /// The launcher's command line and the plugin's environment.
    /// - Throws: ``SubjectError`` when the program is nowhere to be found.
    func launch(stateDirectory: String) throws(SubjectError) -> PluginLaunch {
        let launch = PluginLaunch(self.instance, stateDirectory: stateDirectory) { access($0, X_OK) == 0 }
        guard let launch else { throw .noProgram(self.instance.manifest.command?.first ?? "") }
        return launch
    }
}
