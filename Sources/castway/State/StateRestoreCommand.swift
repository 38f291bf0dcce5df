import ArgumentParser
import CastIdentity
import CastWire
import GatewayApp

/// `castway state restore`
struct StateRestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Puts a backup in the place of the state, while no gateway runs on it.",
        discussion: """
            The backup is checked first; when anything is wrong with it, everything stays as it is. What was there is kept \
            beside it, under a name that ends in .old.

            Under systemd, where the service has its own state directory:
              systemctl stop castway
              CASTWAY_STATE_DIR=/var/lib/castway castway state restore --config /etc/castway/gateway.yaml FILE
              systemctl start castway
            """)

    @OptionGroup var file: ConfigOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    @Argument(help: "What 'castway state backup' wrote.")
    var backup: String

    func run() throws {
        let configuration = try LiveConfiguration.read(self.file.path)
        do throws(IdentityError) {
            let directory = configuration.gateway.stateDirectory
            let (state, aside) = try StateBackup.restore(
                self.backup, to: directory, root: try configuration.rootSource(), now: WallClock.secondsSince1970)
            if self.output.isJSON {
                var json = StateSummary(state).json
                json["state_directory"] = .string(directory)
                json["aside"] = aside.map { .string($0) } ?? .null
                return StandardOutput.write(lines: [JSONValue.object(json).text])
            }
            var lines = ["restored in \(directory.printable): \(StateSummary(state).text)"]
            if let aside { lines.append("what was there: \(aside.printable)") }
            StandardOutput.write(lines: lines)
        } catch {
            throw StateSummary.failure(error)
        }
    }
}
