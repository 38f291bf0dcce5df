import ArgumentParser
import CastWire
import GatewayConfig

/// `castway config explain`
struct ConfigExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explains a problem code: what it means and what to do.",
        discussion: """
            Without a code, all codes are listed.

            Example:
              castway config explain CW1001
            """)

    @Argument(help: "A code as 'castway check' prints it, such as CW1001.")
    var code: String?

    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() throws {
        guard let text = self.code else {
            return StandardOutput.write(lines: ConfigProblem.Code.allCases.map(self.line))
        }
        guard let code = ConfigProblem.Code(rawValue: text.uppercased()) else {
            throw CommandFailure(.usage, "there is no code '\(text)'; 'castway config explain' lists them all")
        }
        StandardOutput.write(lines: [self.line(code)])
    }

    private func line(_ code: ConfigProblem.Code) -> String {
        guard self.output.isJSON else { return "\(code.rawValue)  \(code.explanation)" }
        return JSONValue.object(["code": .string(code.rawValue), "explanation": .string(code.explanation)]).text
    }
}
