import ArgumentParser
import CastIdentity
import CastWire
import GatewayApp
import GatewaySettings
import SystemPrimitives

struct StateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "state", "Backs up, restores and checks what the gateway keeps: identities, sessions, what plugins keep.",
        subcommands: [
            StateBackupCommand.self, StateRestoreCommand.self, StateCheckCommand.self, StateResetCommand.self,
        ])

    /// Does something with the state.
    /// - Throws: ``CommandFailure``; a file that cannot be written is no fault of the state.
    fileprivate static func attempt<Value>(_ body: () throws(IdentityError) -> Value) throws(CommandFailure) -> Value {
        do {
            return try body()
        } catch {
            switch error {
            case .fileUnwritable: throw CommandFailure(.outputUnusable, error.description)
            case .stateInUse:
                throw CommandFailure(.refused, "\(error.description); stop it first (systemctl stop castway, or kill)")
            default: throw CommandFailure(.stateUnusable, error.description)
            }
        }
    }
}

struct StateCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "check", "Looks at every page of the state database, and at every identity in it; changes nothing.",
        "May be used beside a gateway that runs. Ends with 73 when something is wrong.",
        examples: ["castway state check --config /etc/castway/gateway.yaml"])

    @OptionGroup var file: ConfigOption
    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() throws {
        let configuration = try LiveConfiguration.read(self.file.path)
        let summary = StateSummary(try configuration.storedState(isThorough: true))
        let directory = configuration.gateway.stateDirectory
        self.output.write(
            summary.json(["state_directory": .string(directory)]),
            else: ["\(directory.printable): whole, \(summary.text)"])
    }
}

struct StateBackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "backup", "Writes all of the state into a new file, also while the gateway runs.",
        """
        The file holds private keys, and only you may read it (mode 0600). What waits for webhooks and the MQTT broker goes \
        into a second file beside it, FILE.outbox; keep both. A file that is there already is not replaced, and a \
        damaged state is not backed up.
        """,
        examples: ["castway state backup --config /etc/castway/gateway.yaml /var/backups/castway-2026-01-31.db"])

    @OptionGroup var file: ConfigOption
    @OptionGroup var output: OutputOption<TextOrJSON>
    @Argument(help: "The file to make.", completion: .file()) var backup: String

    func run() throws {
        let configuration = try LiveConfiguration.read(self.file.path)
        let (state, outbox) = try StateCommand.attempt { () throws(IdentityError) in
            try StateBackup.make(
                of: configuration.gateway.stateDirectory, to: self.backup, root: try configuration.rootSource(),
                parts: .gateway)
        }
        let summary = StateSummary(state)
        let beside = outbox.map { ["\($0.printable): what waits for webhooks and the MQTT broker"] } ?? []
        self.output.write(
            summary.json(["file": .string(self.backup), "outbox": outbox.map { .string($0) } ?? .null]),
            else: ["\(self.backup.printable): \(summary.text)"] + beside)
    }
}

struct StateRestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "restore", "Puts a backup in the place of the state, while no gateway runs on it.",
        """
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
    @Argument(help: "What 'castway state backup' wrote.", completion: .file()) var backup: String

    func run() throws {
        let configuration = try LiveConfiguration.read(self.file.path)
        let directory = configuration.gateway.stateDirectory
        let (state, aside, hasOutbox) = try StateCommand.attempt { () throws(IdentityError) in
            try StateBackup.restore(
                self.backup, to: directory, root: try configuration.rootSource(), now: WallClock.secondsSince1970,
                parts: .gateway)
        }
        let summary = StateSummary(state)
        var lines = ["restored in \(directory.printable): \(summary.text)"]
        if hasOutbox { lines.append("with what waited for webhooks and the MQTT broker") }
        if let aside { lines.append("what was there: \(aside.printable)") }
        self.output.write(
            summary.json([
                "state_directory": .string(directory), "aside": aside.map { .string($0) } ?? .null,
                "outbox": .bool(hasOutbox),
            ]), else: lines)
    }
}

struct StateResetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "reset", "Puts the state aside, so that the next run makes a new root and new identities.",
        """
        Senders see new devices then, and browsers have to be given the new root. Nothing is deleted: what was there is \
        kept beside, under a name that ends in .old. Refused while a gateway runs on the state.
        """,
        examples: ["castway state reset --config gateway.yaml"])

    @OptionGroup var file: ConfigOption
    @OptionGroup var output: OutputOption<TextOrJSON>

    func run() throws {
        let configuration = try LiveConfiguration.read(self.file.path)
        let aside = try StateCommand.attempt { () throws(IdentityError) in
            try StateBackup.reset(configuration.gateway.stateDirectory, now: WallClock.secondsSince1970)
        }
        self.output.write(
            ["aside": aside.map { .string($0) } ?? .null],
            else: [
                aside.map { "put aside: \($0.printable)" } ?? "there was no state",
                "the next 'castway run' makes a new root and new identities",
            ])
    }
}

/// A state in words and figures.
private struct StateSummary {
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
    /// - Parameter more: the members after these.
    func json(_ more: JSONObject) -> JSONObject {
        let own: JSONObject = [
            "root_fingerprint": self.root.map { .string($0) } ?? .null, "identities": .number(self.identities),
            "sessions": .number(self.sessions), "plugin_values": .number(self.pluginValues),
        ]
        return JSONObject((own.members + more.members).map { ($0.name, $0.value) })
    }

    private static func number(_ count: Int, _ one: String, _ many: String) -> String {
        "\(count) \(count == 1 ? one : many)"
    }
}
