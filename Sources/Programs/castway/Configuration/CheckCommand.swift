import ArgumentParser
import GatewayConfig
import GatewayCore
import GatewaySettings
import PluginHosting
import VirtualDevices

struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "check", "Checks a configuration and reports everything that is wrong with it.",
        """
        Nothing is listened on or dialled. Every problem has a code that 'castway config explain' explains.

        Examples:
          castway check gateway.yaml
          castway check --strict gateway.yaml      fails on warnings too, for use before a restart
          castway check --format github            marks the lines of a pull request

        \(ExitStatus.help(.ok, .configurationInvalid, .warnings, .usage))
        """)

    @OptionGroup var file: ConfigPathOption
    @Flag(help: "Ends with status 2 when there are warnings.") var strict = false
    @OptionGroup var output: OutputOption<ReportFormat>

    func run() throws {
        let path = self.file.path
        let result = ConfigurationFile.load(path)
        let report = result.report.rendered(as: self.output.form.reportFormat)
        StandardOutput.write(self.output.form == .text ? Terminal.output.report(report) : report)
        guard let configuration = result.configuration else { throw CommandFailure(.configurationInvalid) }
        if self.strict, !result.report.isEmpty { throw CommandFailure(.warnings) }
        if self.output.form == .text {
            let count = configuration.virtualDevices.count
            let right = Terminal.output("right", .good)
            StandardOutput.write("\(path.printable): \(right), \(count) virtual device\(count == 1 ? "" : "s")\n")
            let granted = configuration.plugins.instances.filter(\.isGrantedAsManifest).map { instance in
                "  plugin \(instance.name) is granted what \(instance.plugin) \(instance.manifest.version) asks for: \(instance.grantSummary)"
            }
            StandardOutput.write(lines: (granted + Self.replacements(in: configuration)).map(\.printable))
        }
    }
}

extension CheckCommand {
    /// What plugins replace, a line each: what a reader of the file must not overlook.
    private static func replacements(in configuration: GatewayConfiguration) -> [String] {
        configuration.plugins.instances.flatMap { instance in
            instance.replaces.map { replacement in
                let isOpen = (replacement.onFailure ?? instance.settings.onFailure) == .open
                let failure = isOpen ? "which answers when it fails" : "and messages are refused when it fails"
                let state = instance.isEnabled ? "" : " (not enabled)"
                return "  plugin \(instance.name)\(state) replaces \(replacement.summary), \(failure)"
            }
        }
    }
}

enum ReportFormat: String, OutputForm {
    case text, json, github

    var reportFormat: ConfigReport.Format {
        switch self {
        case .text: .text
        case .json: .json
        case .github: .github
        }
    }
}
