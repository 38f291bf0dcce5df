import CastIdentity
import CastWire

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
