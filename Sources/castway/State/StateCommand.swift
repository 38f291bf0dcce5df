import ArgumentParser
import CastIdentity
import CastWire
import GatewayApp

/// `castway state`
struct StateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "state",
        abstract: "Backs up, restores and checks what the gateway keeps: identities, sessions, what plugins keep.",
        subcommands: [
            StateBackupCommand.self, StateRestoreCommand.self, StateCheckCommand.self, StateResetCommand.self,
        ])
}

/// `castway state check`
struct StateCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Looks at every page of the state database, and at every identity in it; changes nothing.",
        discussion: """
            May be used beside a gateway that runs. Ends with 73 when something is wrong.

            Example:
              castway state check --config /etc/castway/gateway.yaml
            """)

    @OptionGroup var file: ConfigOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() throws {
        let configuration = try LiveConfiguration.read(self.file.path)
        let state = try configuration.storedState(isThorough: true)
        let summary = StateSummary(state)
        let directory = configuration.gateway.stateDirectory
        var json = summary.json
        json["state_directory"] = .string(directory)
        StandardOutput.write(lines: [
            self.output.isJSON ? JSONValue.object(json).text : "\(directory.printable): whole, \(summary.text)"
        ])
    }
}

/// `castway state backup`
struct StateBackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Writes all of the state into a new file, also while the gateway runs.",
        discussion: """
            The file holds private keys, and only you may read it (mode 0600). What waits for webhooks and the MQTT broker goes \
            into a second file beside it, FILE.outbox; keep both. A file that is there already is not replaced, and a \
            damaged state is not backed up.

            Example:
              castway state backup --config /etc/castway/gateway.yaml /var/backups/castway-2026-01-31.db
            """)

    @OptionGroup var file: ConfigOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    @Argument(help: "The file to make.", completion: .file())
    var backup: String

    func run() throws {
        let configuration = try LiveConfiguration.read(self.file.path)
        do throws(IdentityError) {
            let (state, outbox) = try StateBackup.make(
                of: configuration.gateway.stateDirectory, to: self.backup, root: try configuration.rootSource(),
                parts: .gateway)
            let summary = StateSummary(state)
            if self.output.isJSON {
                var json = summary.json
                json["file"] = .string(self.backup)
                json["outbox"] = outbox.map { .string($0) } ?? .null
                return StandardOutput.write(lines: [JSONValue.object(json).text])
            }
            var lines = ["\(self.backup.printable): \(summary.text)"]
            if let outbox { lines.append("\(outbox.printable): what waits for webhooks and the MQTT broker") }
            StandardOutput.write(lines: lines)
        } catch {
            throw StateSummary.failure(error)
        }
    }
}

/// `castway state restore`
struct StateRestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Puts a backup in the place of the state, while no gateway runs on it.",
        discussion: """
            The backup is checked first; when anything is wrong with it, everything stays as it is. What was there is kept \
            beside it, under a name that ends in .old. With FILE.outbox beside it, what waited for webhooks and the MQTT \
            broker comes back too, and may be delivered a second time, under the id that it had.

            Under systemd, where the service has its own state directory:
              systemctl stop castway
              CASTWAY_STATE_DIR=/var/lib/castway castway state restore --config /etc/castway/gateway.yaml FILE
              systemctl start castway
            """)

    @OptionGroup var file: ConfigOption

    @OptionGroup var output: OutputOption<TextOrJSON>

    @Argument(help: "What 'castway state backup' wrote.", completion: .file())
    var backup: String

    func run() throws {
        let configuration = try LiveConfiguration.read(self.file.path)
        do throws(IdentityError) {
            let directory = configuration.gateway.stateDirectory
            let (state, aside, hasOutbox) = try StateBackup.restore(
                self.backup, to: directory, root: try configuration.rootSource(), now: WallClock.secondsSince1970,
                parts: .gateway)
            if self.output.isJSON {
                var json = StateSummary(state).json
                json["state_directory"] = .string(directory)
                json["aside"] = aside.map { .string($0) } ?? .null
                json["outbox"] = .bool(hasOutbox)
                return StandardOutput.write(lines: [JSONValue.object(json).text])
            }
            var lines = ["restored in \(directory.printable): \(StateSummary(state).text)"]
            if hasOutbox { lines.append("with what waited for webhooks and the MQTT broker") }
            if let aside { lines.append("what was there: \(aside.printable)") }
            StandardOutput.write(lines: lines)
        } catch {
            throw StateSummary.failure(error)
        }
    }
}

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

/// What people are told of a state.
struct StateSummary {
    private let root: String?
    private let identities: Int
    private let sessions: Int
    private let pluginValues: Int

    init(_ state: StoredState) {
        self.root = state.root?.fingerprint
        self.identities = state.devices.count
        self.sessions = state.rows["session_record"] ?? 0
        self.pluginValues = state.rows["plugin_value"] ?? 0
    }

    var text: String {
        [
            self.root.map { "root \($0.prefix(16))…" } ?? "no root",
            Self.number(self.identities, "identity", "identities"), Self.number(self.sessions, "session", "sessions"),
            Self.number(self.pluginValues, "value of plugins", "values of plugins"),
        ].joined(separator: ", ")
    }

    /// `root_fingerprint` (null when there is no root), and how many `identities`, `sessions` and `plugin_values`.
    var json: JSONObject {
        [
            "root_fingerprint": self.root.map { .string($0) } ?? .null, "identities": .number(self.identities),
            "sessions": .number(self.sessions), "plugin_values": .number(self.pluginValues),
        ]
    }

    /// How a command on the state ends; a file that cannot be written is no fault of the state.
    static func failure(_ error: IdentityError) -> CommandFailure {
        switch error {
        case .fileUnwritable: CommandFailure(.outputUnusable, error.description)
        case .stateInUse:
            CommandFailure(.refused, "\(error.description); stop it first (systemctl stop castway, or kill)")
        default: CommandFailure(.stateUnusable, error.description)
        }
    }

    private static func number(_ count: Int, _ one: String, _ many: String) -> String {
        "\(count) \(count == 1 ? one : many)"
    }
}
