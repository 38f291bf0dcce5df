import CastIdentity

/// What people are told of a state.
struct StateSummary {
    let text: String

    init(_ state: StoredState) {
        let count = state.devices.count
        let root = state.root.map { "root \($0.fingerprint.prefix(16))…" } ?? "no root"
        let sessions = state.rows["session_record"] ?? 0
        let values = state.rows["plugin_value"] ?? 0
        self.text =
            "\(root), \(Self.number(count, "identity", "identities")), \(Self.number(sessions, "session", "sessions")), "
            + Self.number(values, "value of plugins", "values of plugins")
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
