import ArgumentParser
import PluginHosting

/// `--sandbox`, for commands that start a plugin by themselves.
struct SandboxOption: ParsableArguments {
    @Option(
        name: .customLong("sandbox"),
        help: ArgumentHelp(
            "How the plugin is shut in: none, basic or strict; default: basic.", valueName: "sandbox"),
        transform: { text in
            guard let sandbox = PluginSandbox(rawValue: text) else {
                throw ValidationError(
                    "A sandbox is one of \(PluginSandbox.allCases.map(\.rawValue).joined(separator: ", ")).")
            }
            return sandbox
        })
    var given: PluginSandbox?

    /// What is in force.
    var sandbox: PluginSandbox { self.given ?? .basic }
}
