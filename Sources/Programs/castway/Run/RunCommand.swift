import ArgumentParser
import GatewayApp
import GatewayConfig
import GatewayLogging
import GatewaySettings
import Glibc
import Logging
import UnixSignals
import VirtualDevices

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "run", "Runs the gateway until SIGTERM or SIGINT.",
        """
        Logs go to standard error: text on a terminal, JSON lines otherwise. When every virtual device can be \
        connected to, a summary with commands to try goes to standard output.

        SIGTERM and SIGINT let what is under way finish; a second one ends at once. SIGQUIT writes the state to the \
        log. Under systemd it tells when it is ready and that it is alive: see Docs/systemd.md.

        Examples:
          castway run
          castway run --config /etc/castway/gateway.yaml
          CASTWAY_LOG_LEVEL=debug castway run

        SIGHUP, or 'castway reload', puts a changed configuration in force; every connection and session stays.
        """)

    @OptionGroup var file: ConfigPathOption
    @OptionGroup var colour: ColourOption

    func run() async throws {
        // First of all: a SIGHUP must not end the process in its first moments.
        let hangUps = await UnixSignalsSequence(trapping: .sighup)
        ProcessSetup.prepareService()
        let summary = LineQueue(descriptor: STDOUT_FILENO)
        defer {
            summary.flush(within: .seconds(1))
            LoggingSetup.flush()
        }
        let path = self.file.path
        let result = ConfigurationFile.load(path)
        StandardError.write(Terminal.error.report(result.report.text()))
        guard var configuration = result.configuration else { throw CommandFailure(.configurationInvalid) }
        try ProcessSetup.requireDescriptors(for: configuration)
        let environment = ProcessEnvironment.variables
        var forcedLevel: LogConfiguration.Level?
        if let word = environment["CASTWAY_LOG_LEVEL"], !word.isEmpty {
            guard let level = LogConfiguration.Level(rawValue: word.lowercased()) else {
                let known = LogConfiguration.Level.allCases.map(\.rawValue).joined(separator: ", ")
                throw CommandFailure(.usage, "CASTWAY_LOG_LEVEL: '\(word)' is none of \(known)")
            }
            configuration.log.level = level
            forcedLevel = level
        }
        let isTerminal = isatty(STDERR_FILENO) == 1
        LoggingSetup.bootstrap(configuration.log, isTerminal: isTerminal, isColoured: Terminal.error.isColoured)
        if !isTerminal { result.logWarnings(to: Logger(label: "Gateway")) }
        let source = ConfigurationSource { [forcedLevel] in
            var result = ConfigurationFile.load(path)
            if let forcedLevel { result.configuration?.log.level = forcedLevel }
            return result
        }
        let gateway = try await Gateway(
            configuration: configuration, document: result.document, source: source, version: CastwayVersion.current,
            announcement: RunAnnouncement(configuration: path, registry: RunRegistry(environment: environment)))
        let running = configuration
        let program = ProcessArguments.all.first ?? "castway"
        let daemon = GatewayDaemon(
            gateway: gateway, notifier: ServiceNotifier(environment: environment),
            watchdog: Watchdog(environment: environment))
        try await daemon.run(hangUps: hangUps) { endpoints in
            let ports = Dictionary(endpoints.map { ($0.name, $0.castPort) }, uniquingKeysWith: { first, _ in first })
            let lines = StartSummary(
                configuration: running, ports: ports, path: path, program: program,
                isInSources: access("Scripts/bootstrap.sh", X_OK) == 0
            ).lines
            summary.write(lines.map { $0 + "\n" }.joined())
        } onAbort: { reason in
            let status: ExitStatus =
                switch reason {
                case .secondSignal: .hurried
                case .overdue: .internalError
                }
            LoggingSetup.flush()
            Glibc._exit(status.rawValue)
        }
    }
}
