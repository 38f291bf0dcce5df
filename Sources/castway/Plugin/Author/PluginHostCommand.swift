import ArgumentParser
import GatewayCore
import Glibc
import PluginHosting

/// `castway plugin host`: what `check` and `test` start in the place of a program, for a plugin that is only a library.
struct PluginHostCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "host", abstract: "Runs the library of a plugin as a program.", shouldDisplay: false)

    @Argument(help: "The library, in the working directory.")
    var library: String

    @Option(help: "The name of the instance.")
    var instance = "plugin"

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
