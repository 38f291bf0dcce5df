import ArgumentParser
import GatewayApp
import GatewayConfig

/// `castway config print`
struct ConfigPrintCommand: ParsableCommand {
    /// What is printed.
    enum Form: String, EnumerableFlag {
        case effective
        case origin

        static func help(for value: Form) -> ArgumentHelp? {
            switch value {
            case .effective: "Prints every value that is in effect; this is the default."
            case .origin: "Adds to every value where it came from: file and line, a variable, or the default."
            }
        }
    }

    static let configuration = CommandConfiguration(
        commandName: "print",
        abstract: "Prints the configuration as it is in effect, with includes, variables and defaults filled in.",
        discussion: """
            Secrets appear as «redacted». The output is a valid configuration, in YAML unless JSON is asked for.

            Examples:
              castway config print gateway.yaml
              castway config print --origin gateway.yaml
            """)

    @Flag(exclusivity: .exclusive)
    var form: Form = .effective

    @OptionGroup var file: ConfigPathOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    func validate() throws {
        if self.form == .origin, self.output.isJSON {
            throw ValidationError("--origin writes comments, which JSON does not have: leave out --json.")
        }
    }

    func run() throws {
        let result = ConfigurationFile.load(self.file.path)
        StandardError.write(result.report.text())
        guard result.configuration != nil else { throw CommandFailure(.configurationInvalid) }
        if self.output.isJSON {
            return StandardOutput.write(result.document.effectiveJSON.text(indented: true) + "\n")
        }
        StandardOutput.write(result.document.effectiveText(origins: self.form == .origin))
    }
}
