import ArgumentParser
import GatewayApp
import Glibc
import VirtualDevices

/// `castway run`
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Runs the gateway until SIGTERM or SIGINT.",
        discussion: """
            Logs go to standard error: text on a terminal, JSON lines otherwise. When every virtual device can be \
            connected to, a summary with commands to try goes to standard output.

            Examples:
              castway run
              castway run --config /etc/castway/gateway.yaml
              CASTWAY_LOG_LEVEL=debug castway run
            """)

    @OptionGroup var file: ConfigOption

    func run() async throws {
        let path = self.file.path
        var configuration = try ConfigurationFile.configuration(path)
        let environment = ProcessEnvironment.variables
        if let word = environment["CASTWAY_LOG_LEVEL"], !word.isEmpty {
            guard let level = LogConfiguration.Level(rawValue: word.lowercased()) else {
                let known = LogConfiguration.Level.allCases.map(\.rawValue).joined(separator: ", ")
                throw CommandFailure(.usage, "CASTWAY_LOG_LEVEL: '\(word)' is none of \(known)")
            }
            configuration.log.level = level
        }
        let isTerminal = isatty(STDERR_FILENO) == 1
        LoggingSetup.bootstrap(
            configuration.log, isTerminal: isTerminal,
            isColoured: LoggingSetup.mayColour(isTerminal: isTerminal, environment: environment))
        let gateway = try await Gateway(configuration: configuration)
        let running = configuration
        let program = CommandLine.arguments.first ?? "castway"
        try await gateway.run { endpoints in
            let ports = Dictionary(endpoints.map { ($0.name, $0.castPort) }, uniquingKeysWith: { first, _ in first })
            StandardOutput.write(
                lines: StartSummary(configuration: running, ports: ports, path: path, program: program).lines)
        }
    }
}
