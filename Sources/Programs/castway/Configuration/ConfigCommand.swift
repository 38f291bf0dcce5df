import ArgumentParser
import CastWire
import GatewayConfig
import GatewayMetrics
import GatewaySettings

struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "config", "Shows what a configuration says and what it may say.",
        subcommands: [
            ConfigPrintCommand.self, ConfigSchemaCommand.self, ConfigReferenceCommand.self, ConfigExplainCommand.self,
        ])
}

struct ConfigPrintCommand: ParsableCommand {
    enum Form: String, EnumerableFlag {
        case effective, origin

        static func help(for value: Form) -> ArgumentHelp? {
            switch value {
            case .effective: "Prints every value that is in effect; this is the default."
            case .origin: "Adds to every value where it came from: file and line, a variable, or the default."
            }
        }
    }

    static let configuration = CommandConfiguration(
        "print", "Prints the configuration as it is in effect, with includes, variables and defaults filled in.",
        "Secrets appear as «redacted». The output is a valid configuration, in YAML unless JSON is asked for.",
        examples: ["castway config print gateway.yaml", "castway config print --origin gateway.yaml"])

    @Flag(exclusivity: .exclusive) var form: Form = .effective
    @OptionGroup var file: ConfigPathOption
    @OptionGroup var output: OutputOption<TextOrJSON>

    func validate() throws {
        if self.form == .origin, self.output.isJSON {
            throw ValidationError("--origin writes comments, which JSON does not have: leave out --json.")
        }
    }

    func run() throws {
        let result = ConfigurationFile.load(self.file.path)
        StandardError.write(Terminal.error.report(result.report.text()))
        guard result.configuration != nil else { throw CommandFailure(.configurationInvalid) }
        if self.output.isJSON { return StandardOutput.write(result.document.effectiveJSON.text(indented: true) + "\n") }
        StandardOutput.write(result.document.effectiveText(origins: self.form == .origin))
    }
}

struct ConfigExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "explain", "Explains a problem code: what it means and what to do.", "Without a code, all codes are listed.",
        examples: ["castway config explain CW1001"])

    @Argument(help: "A code as 'castway check' prints it, such as CW1001.") var code: String?
    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() throws {
        var codes = ConfigProblem.Code.allCases
        if let text = self.code {
            codes = codes.filter { $0.rawValue == text.uppercased() }
            guard !codes.isEmpty else {
                throw CommandFailure(.usage, "there is no code '\(text)'; 'castway config explain' lists them all")
            }
        }
        self.output.write(
            codes.map { ["code": .string($0.rawValue), "explanation": .string($0.explanation)] },
            else: codes.map { "\($0.rawValue)  \($0.explanation)" })
    }
}

struct ConfigSchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "schema", "Prints the JSON Schema of gateway.yaml, for editors.",
        """
        Write it beside the configuration and name it in the first line of gateway.yaml, as editors with a YAML \
        language server read it:

          castway config schema > gateway.schema.json
          # yaml-language-server: $schema=gateway.schema.json

        Files that gateway.yaml includes need no version, so they have a schema of their own:

          castway config schema --included > conf.d/included.schema.json
        """)

    @Flag(help: "Prints the schema of files that gateway.yaml includes.") var included = false
    @OptionGroup var colour: ColourOption

    func run() {
        let schema = GatewayConfiguration.jsonSchema(included: self.included)
        StandardOutput.write(schema.hasSuffix("\n") ? schema : schema + "\n")
    }
}

struct ConfigReferenceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "reference", "Prints what every key of gateway.yaml means, in Markdown.")

    @Flag(help: "What is measured instead: every metric and its labels.") var metrics = false

    @Flag(
        help:
            "What peers can make the gateway keep instead: the budget of memory, its shares and what is charged to it.")
    var limits = false

    @OptionGroup var colour: ColourOption

    func run() {
        if self.limits { return StandardOutput.write(LimitReference.document()) }
        if self.metrics { return StandardOutput.write(MetricReference.document(MetricDeclaration.all)) }
        let reference = GatewayConfiguration.referenceMarkdown()
        StandardOutput.write(reference.hasSuffix("\n") ? reference : reference + "\n")
    }
}
