import ArgumentParser
import CastWire
import GatewayOperations

/// `castway reload`
struct ReloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Lets the running gateway read its configuration anew.",
        discussion: """
            Every connection and session stays. When anything is wrong, the old configuration stays as a whole, and \
            what is wrong is printed. The file only says which gateway is asked, and in a folder without one it is the \
            only one that runs; the gateway reads the file that it was started with.

            Examples:
              castway reload
              castway reload --dry-run                         what would change?
              castway reload --config /etc/castway/gateway.yaml
              castway reload --admin unix:/run/castway/admin.sock --format json
            """)

    @OptionGroup var control: ControlOption

    @Flag(help: "Says what would change, and changes nothing.")
    var dryRun = false

    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() async throws {
        let request = try OperationRequest(self.control)
        let outcome = try await ProgressLine.showing("waiting for the gateway") {
            try await request.outcome(of: "config.reload", ["dry_run": .bool(self.dryRun)])
        }
        let report = ReloadReport(outcome)
        if self.output.isJSON {
            switch outcome {
            case .success(let answer): StandardOutput.write(answer)
            case .failure(let refusal): StandardOutput.write(refusal.json)
            }
            if let failure = report.failure { throw CommandFailure(failure.status) }
            return
        }
        StandardOutput.write(lines: report.lines)
        StandardError.write(Terminal.error.report(report.problems))
        if let failure = report.failure { throw failure }
    }
}

/// What `castway reload` prints of an answer.
struct ReloadReport {
    /// For standard output.
    let lines: [String]
    /// nil when the reload is done.
    let failure: CommandFailure?
    /// The report of problems, with places and carets; empty unless the configuration has errors.
    let problems: String

    /// Reads what came of `config.reload`.
    init(_ outcome: OperationRequest.Outcome) {
        let refusal: OperationRefusal
        switch outcome {
        case .success(let answer):
            let changes = answer.array("changes")?.compactMap(\.objectValue) ?? []
            self.lines = Self.lines(changes, isDryRun: answer.bool("dry_run") == true)
            self.failure = nil
            self.problems = ""
            return
        case .failure(let reason): refusal = reason
        }
        let message = refusal.text.printable
        self.lines = []
        self.problems = refusal.json.string("report") ?? ""
        switch refusal.code {
        case "configuration_invalid":
            self.failure = CommandFailure(
                .configurationInvalid, "not reloaded, the old configuration stays: \(message)")
        case "restart_required":
            self.failure = CommandFailure(.refused, "not reloaded, the old configuration stays: \(message)")
        default: self.failure = CommandFailure(.refused, "not reloaded: \(message)")
        }
    }

    private static func lines(_ changes: [JSONObject], isDryRun: Bool) -> [String] {
        guard !changes.isEmpty else { return [isDryRun ? "nothing would change" : "reloaded, nothing has changed"] }
        let word = isDryRun ? "would change" : "changed"
        let lines = changes.map { change in
            let note = change.string("note").map { ", \($0)" } ?? ""
            return "\(word): \(change.string("key") ?? "") (\(change.string("reload") ?? "")\(note))".printable
        }
        return lines + (isDryRun ? [] : ["reloaded"])
    }
}
