import ArgumentParser

/// `castway state`
struct StateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "state",
        abstract: "Backs up, restores and checks what the gateway keeps: identities, sessions, what plugins keep.",
        subcommands: [
            StateBackupCommand.self, StateRestoreCommand.self, StateCheckCommand.self, StateResetCommand.self,
        ])
}
