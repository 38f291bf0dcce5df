import ArgumentParser
import CastWire
import GatewayApp
import GatewayConfig
import GatewayCore
import GatewayLogging
import GatewaySettings
import Glibc
import PluginHosting
import PluginTesting
import UnixSignals
import VirtualDevices

struct PluginRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "run", "Runs a small gateway with one device and just this plugin, which is granted all it asks for.",
        """
        The device is the built-in receiver; its app \(PluginStage.app) has the plugin's namespaces. What the plugin \
        keeps goes with the gateway, unless --state names a folder. The log, and what the plugin writes to standard \
        error, go to standard error.

        With --attach the plugin is not started: the gateway listens on a socket, and prints the variables with which \
        a plugin that you start yourself, under a debugger say, finds it and its kit.
        """,
        examples: [
            "castway plugin run Plugins/hello", "castway plugin run Plugins/hello --attach --no-deadlines",
            "CASTWAY_CONNECT=/tmp/…/hello.sock PYTHONPATH=… python3 -m pdb Plugins/hello/plugin.py",
        ])

    @Argument(help: "The plugin's folder.", completion: .directory) var folder = "."
    @Flag(help: "Waits for the plugin to connect, instead of starting it.") var attach = false
    @Flag(help: "Waits for answers as long as it takes, so that a debugger may hold the plugin.")
    var noDeadlines = false
    @Option(help: .init("The plugin's configuration.", valueName: "json")) var config: String?
    @Option(help: .init("Where the device listens.", valueName: "address")) var listen = "127.0.0.1:8009"

    @Option(
        help: .init("Where state is kept; a folder that goes away unless given.", valueName: "path"),
        completion: .directory)
    var state: String?

    @Option(help: .init("How much is logged: debug, info, notice, warning or error.", valueName: "level"))
    var logLevel = "info"
    @OptionGroup var sandbox: SandboxOption
    @OptionGroup var colour: ColourOption

    func validate() throws {
        if self.attach, self.sandbox.given != nil {
            throw ValidationError(
                "With --attach the plugin is not started, so there is nothing for --sandbox to shut in.")
        }
    }

    func run() async throws {
        let hangUps = await UnixSignalsSequence(trapping: .sighup)
        ProcessSetup.prepareService()
        defer { StandardErrorOutput.flush() }
        let plugin = try PluginUnderTest(self.folder, sandbox: self.sandbox.sandbox)
        let scratch = self.state == nil ? try ScratchFolder() : nil
        defer { withExtendedLifetime(scratch) {} }
        let stage = PluginStage(
            plugin: plugin, isAttached: self.attach, config: try plugin.configuration(given: self.config),
            listen: self.listen, stateDirectory: self.state.map(FolderPath.absolute) ?? scratch?.path ?? "",
            logLevel: self.logLevel, sandbox: self.sandbox.sandbox)
        var configuration = try stage.configuration()
        var timings = PluginTimings()
        if self.noDeadlines { Self.makePatient(&configuration, &timings) }
        let isTerminal = isatty(STDERR_FILENO) == 1
        LoggingSetup.bootstrap(
            configuration.log, isTerminal: isTerminal,
            isColoured: LoggingSetup.mayColour(isTerminal: isTerminal, environment: ProcessEnvironment.variables))
        let gateway = try await Gateway(
            configuration: configuration, version: CastwayVersion.current, pluginTimings: timings)
        let daemon = GatewayDaemon(gateway: gateway)
        try await daemon.run(hangUps: hangUps) { endpoints in
            StandardOutput.write(lines: stage.summary(port: endpoints.first?.castPort))
        } onAbort: { _ in
            StandardErrorOutput.flush()
            Glibc._exit(ExitStatus.hurried.rawValue)
        }
    }

    /// Longer than an author debugs.
    private static func makePatient(_ configuration: inout GatewayConfiguration, _ timings: inout PluginTimings) {
        let day = Duration.seconds(86_400)
        for index in configuration.plugins.instances.indices {
            configuration.plugins.instances[index].settings.filterDeadline = day
            configuration.plugins.instances[index].settings.handleDeadline = day
            configuration.plugins.instances[index].settings.startTimeout = day
        }
        timings.healthTimeout = day
        timings.maximumDeadline = day
    }
}

/// `castway plugin host`: what `check` and `test` start in the place of a program, for a plugin that is only a library.
struct PluginHostCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "host", abstract: "Runs the library of a plugin as a program.", shouldDisplay: false)

    @Argument(help: "The library, in the working directory.") var library: String
    @Option(help: "The name of the instance.") var instance = "plugin"

    func run() throws {
        do {
            var host = try ModuleHost(library: self.library, in: ".", instance: self.instance)
            Glibc.exit(host.run())
        } catch {
            StandardError.write("\(error.reason.printable)\n")
            Glibc.exit(ModuleHost.failureStatus)
        }
    }
}

/// `--sandbox`, for commands that start a plugin by themselves.
struct SandboxOption: ParsableArguments {
    @Option(
        name: .customLong("sandbox"),
        help: ArgumentHelp("How the plugin is shut in: none, basic or strict; default: basic.", valueName: "sandbox"),
        transform: { text in
            guard let sandbox = PluginSandbox(rawValue: text) else {
                throw ValidationError(
                    "A sandbox is one of \(PluginSandbox.allCases.map(\.rawValue).joined(separator: ", ")).")
            }
            return sandbox
        })
    var given: PluginSandbox?

    var sandbox: PluginSandbox { self.given ?? .basic }
}
