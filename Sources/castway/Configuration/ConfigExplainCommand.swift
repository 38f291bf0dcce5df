import ArgumentParser
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

    func run() throws {
        guard let text = self.code else {
            StandardOutput.write(lines: ConfigProblem.Code.allCases.map { "\($0.rawValue)  \($0.explanation)" })
            return
        }
        guard let code = ConfigProblem.Code(rawValue: text.uppercased()) else {
            throw CommandFailure(.usage, "there is no code '\(text)'; 'castway config explain' lists them all")
        }
        StandardOutput.write("\(code.rawValue)  \(code.explanation)\n")
    }
}
