import ArgumentParser
import CastWire
import GatewayApp
import GatewayOperations

struct ReloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "reload", "Lets the running gateway read its configuration anew.",
        """
        Every connection and session stays. When anything is wrong, the old configuration stays as a whole, and \
        what is wrong is printed. The file only says which gateway is asked, and in a folder without one it is the \
        only one that runs; the gateway reads the file that it was started with.
        """,
        examples: [
            "castway reload", "castway reload --dry-run                         what would change?",
            "castway reload --config /etc/castway/gateway.yaml",
            "castway reload --admin unix:/run/castway/admin.sock --format json",
        ])

    @OptionGroup var control: ControlOption
    @Flag(help: "Says what would change, and changes nothing.") var dryRun = false
    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() async throws {
        let request = try OperationRequest(self.control)
        let outcome = try await ProgressLine.showing("waiting for the gateway") {
            try await request.outcome(of: "config.reload", ["dry_run": .bool(self.dryRun)])
        }
        switch outcome {
        case .success(let answer):
            if self.output.isJSON { return StandardOutput.write(answer) }
            StandardOutput.write(lines: Self.lines(answer))
        case .failure(let refusal):
            let failure = Self.failure(refusal)
            if self.output.isJSON {
                StandardOutput.write(refusal.json)
                throw CommandFailure(failure.status)
            }
            // The problems with their places and carets, when the configuration has errors.
            StandardError.write(Terminal.error.report(refusal.json.string("report") ?? ""))
            throw failure
        }
    }

    private static func lines(_ answer: JSONObject) -> [String] {
        let fields = ReloadChangeResult.fields
        let isDryRun = answer[at: ReloadResult.fields.isDryRun] == true
        let lines = (answer[at: ReloadResult.fields.changes] ?? []).map { change in
            let note = change[at: fields.note].map { ", \($0)" } ?? ""
            let word = isDryRun ? "would change" : "changed"
            return "\(word): \(change.text(fields.key)) (\(change.text(fields.reload))\(note))".printable
        }
        guard !lines.isEmpty else { return [isDryRun ? "nothing would change" : "reloaded, nothing has changed"] }
        return isDryRun ? lines : lines + ["reloaded"]
    }

    private static func failure(_ refusal: OperationRefusal) -> CommandFailure {
        let message = refusal.text.printable
        return switch refusal.code {
        case "configuration_invalid":
            CommandFailure(.configurationInvalid, "not reloaded, the old configuration stays: \(message)")
        case "restart_required": CommandFailure(.refused, "not reloaded, the old configuration stays: \(message)")
        default: CommandFailure(.refused, "not reloaded: \(message)")
        }
    }
}
