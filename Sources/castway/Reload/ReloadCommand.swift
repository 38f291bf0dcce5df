import ArgumentParser
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
        let reply = try await client.send(.POST, uri, timeout: .seconds(60))
        let report = ReloadReport(reply, path: gateway.path)
        if self.output.isJSON {
            StandardOutput.write(reply.body)
            if let failure = report.failure { throw CommandFailure(failure.status) }
            return
        }
        StandardOutput.write(lines: report.lines)
        StandardError.write(report.problems)
        if let failure = report.failure { throw failure }
    }
}
