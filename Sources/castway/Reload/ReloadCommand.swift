import ArgumentParser
import CastWire
import NIOCore
import NIOHTTP1

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
        let gateway = try self.control.find()
        let client = ControlClient(address: gateway.address)
        let uri = "/api/v1/reload" + (self.dryRun ? "?dry_run=true" : "")
        let reply = try await ProgressLine.showing("waiting for the gateway") {
            try await client.send(.POST, uri, timeout: .seconds(60))
        }
        let report = ReloadReport(reply, path: gateway.path)
        if self.output.isJSON {
            StandardOutput.write(reply.body)
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

    /// Reads an answer of `POST /api/v1/reload`.
    init(_ reply: ControlReply, path: String) {
        let json = (try? JSONReader.read(reply.body))?.objectValue
        if reply.status == 200, let json {
            let changes = json.array("changes")?.compactMap(\.objectValue) ?? []
            let isDryRun = json["dry_run"] == .bool(true)
            self.lines = Self.lines(changes, isDryRun: isDryRun)
            self.failure = nil
            self.problems = ""
            return
        }
        let error = json?.object("error")
        let message = (error?.string("message") ?? "the gateway answered with status \(reply.status)").printable
        self.lines = []
        self.problems = error?.string("report") ?? ""
        switch error?.string("code") {
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
