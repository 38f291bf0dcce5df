import PluginKit

/// The start of a plugin: the launcher's command line, and the plugin's environment.
///
/// The launcher itself runs with no environment at all: what the plugin's means to the dynamic loader must happen in the
/// sandbox, and not before it. So it is handed over as data, first of all over the lifeline.
package struct PluginLaunch: Sendable, Hashable {
    /// The path of programs that are named without a folder.
    static let searchPath = ["/usr/local/bin", "/usr/bin", "/bin"]

    package let arguments: [String]
    package let environment: [String: String]
    /// The environment as the launcher takes it: `NAME=VALUE` with a zero byte behind each.
    package let environmentBlock: [UInt8]

    /// Describes how an instance is started.
    /// - Parameters:
    ///   - stateDirectory: where the plugin may write; an absolute path.
    ///   - pythonKit: the folder of the kit for Python; nil when there is none.
    ///   - isExecutable: whether a file is there and can be run.
    /// - Returns: nil when the program is nowhere to be found.
    package init?(
        _ instance: PluginInstance, stateDirectory: String, pythonKit: String? = PythonKit.folder,
        isExecutable: (String) -> Bool
    ) {
        guard let command = instance.manifest.command, let name = command.first else { return nil }
        let folder = AbsolutePath.of(instance.folder)
        guard let program = Self.program(name, in: folder, isExecutable: isExecutable) else { return nil }
        let resources = instance.settings.resources
        var arguments = [
            "--name", instance.name, "--directory", folder, "--state-directory", stateDirectory, "--sandbox",
            instance.settings.sandbox.rawValue, "--network", instance.network.rawValue, "--memory",
            "\(resources.memory)", "--open-files", "\(resources.openFiles)", "--processes", "\(resources.processes)",
            "--state", "\(resources.state)", "--state-files", "\(resources.stateFiles)",
        ]
        for path in instance.readable + (pythonKit.map { [$0] } ?? []) { arguments += ["--readable", path] }
        let own = [
            "CASTWAY_PLUGIN_COOKIE": PluginEnvironment.cookie, "CASTWAY_PLUGIN_ID": instance.plugin,
            "CASTWAY_PLUGIN_VERSION": instance.manifest.version, "CASTWAY_PLUGIN_NAME": instance.name,
            "CASTWAY_STATE_DIR": stateDirectory,
            "CASTWAY_PROTOCOL": "\(PluginProtocol.versions.upperBound)",
        ]
        let basis = [
            "PATH": Self.searchPath.joined(separator: ":"), "LANG": "C.UTF-8", "HOME": stateDirectory,
            "TMPDIR": stateDirectory,
            // Swift's backtraces take a tenth of a second in which the crash would not be noticed.
            "SWIFT_BACKTRACE": "enable=no",
        ]
        var environment =
            basis
            .merging(instance.manifest.environment) { _, new in new }
            .merging(instance.environment) { _, new in new }
            .merging(own) { _, new in new }
        if let pythonKit {
            environment[PythonKit.variable] = PythonKit.path(pythonKit, after: environment[PythonKit.variable])
        }
        self.environment = environment
        self.environmentBlock = self.environment.sorted { $0.key < $1.key }.flatMap { "\($0)=\($1)".utf8 + [0] }
        arguments += ["--environment", "\(self.environmentBlock.count)"]
        self.arguments = arguments + ["--", program] + command.dropFirst()
    }

    /// Finds a program as a manifest names it: by an absolute path, in the folder, or by a bare name there or in the
    /// system's folders.
    static func program(_ name: String, in folder: String, isExecutable: (String) -> Bool) -> String? {
        let candidates =
            if name.hasPrefix("/") {
                [name]
            } else if name.contains("/") {
                ["\(folder)/\(name)"]
            } else {
                ["\(folder)/\(name)"] + Self.searchPath.map { "\($0)/\(name)" }
            }
        return candidates.first(where: isExecutable)
    }
}

/// The environment of a plugin.
enum PluginEnvironment {
    /// Tells a program that a gateway has started it, so that one started by hand can say what it is. No secret.
    static let cookie = "castway-plugin"
}
