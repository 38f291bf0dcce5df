import ArgumentParser
import CastIdentity
import CastWire
import GatewayApp

/// `castway state reset`
struct StateResetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Puts the state aside, so that the next run makes a new root and new identities.",
        discussion: """
            Senders see new devices then, and browsers have to be given the new root. Nothing is deleted: what was there is \
            kept beside, under a name that ends in .old. Refused while a gateway runs on the state.

            Example:
              castway state reset --config gateway.yaml
            """)

    @OptionGroup var file: ConfigOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() throws {
        let configuration = try LiveConfiguration.read(self.file.path)
        do throws(IdentityError) {
            let aside = try StateBackup.reset(
                configuration.gateway.stateDirectory, now: WallClock.secondsSince1970)
            if self.output.isJSON {
                let json: JSONObject = ["aside": aside.map { .string($0) } ?? .null]
                return StandardOutput.write(lines: [JSONValue.object(json).text])
            }
            StandardOutput.write(lines: [
                aside.map { "put aside: \($0.printable)" } ?? "there was no state",
                "the next 'castway run' makes a new root and new identities",
            ])
        } catch {
            throw StateSummary.failure(error)
        }
    }
}
