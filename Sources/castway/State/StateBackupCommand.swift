import ArgumentParser
import CastIdentity
import CastWire
import GatewayApp

/// `castway state backup`
struct StateBackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Writes all of the state into one new file, also while the gateway runs.",
        discussion: """
            The file holds private keys, and only you may read it (mode 0600). A file that is there already is not \
            replaced, and a damaged state is not backed up.

            Example:
              castway state backup --config /etc/castway/gateway.yaml /var/backups/castway-2026-01-31.db
            """)

    @OptionGroup var file: ConfigOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    @Argument(help: "The file to make.")
    var backup: String

    func run() throws {
        let configuration = try LiveConfiguration.read(self.file.path)
        do throws(IdentityError) {
            let state = try StateBackup.make(
                of: configuration.gateway.stateDirectory, to: self.backup, root: try configuration.rootSource())
            let summary = StateSummary(state)
            var json = summary.json
            json["file"] = .string(self.backup)
            StandardOutput.write(lines: [
                self.output.isJSON ? JSONValue.object(json).text : "\(self.backup.printable): \(summary.text)"
            ])
        } catch {
            throw StateSummary.failure(error)
        }
    }
}
