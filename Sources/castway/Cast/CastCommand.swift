import ArgumentParser

/// `castway cast`
struct CastCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cast",
        abstract: "Talks to a Cast device, virtual or real, as a sender.",
        usage: "castway cast <host>[:<port>] <command> [<arguments>] [--timeout <seconds>] [--json]",
        discussion: """
            The port is 8009 unless another one is given. Without a command the status is shown. With --json the \
            device's own messages are printed, one a line.

            Examples:
              castway cast 127.0.0.1:8010
              castway cast 127.0.0.1:8010 load http://192.0.2.9/one.mp4 --title One
              castway cast 127.0.0.1:8010 seek +30
              castway cast 127.0.0.1:8010 volume 40%
              castway cast hall.lan send urn:x-cast:com.example.quiz '{"join":1}' --app ABCD1234
              castway cast 127.0.0.1:8010 watch
            """,
        subcommands: [
            StatusCommand.self, LoadCommand.self, PlayCommand.self, PauseCommand.self, StopCommand.self,
            SeekCommand.self, NextCommand.self, PreviousCommand.self, VolumeCommand.self, MuteCommand.self,
            UnmuteCommand.self, LaunchCommand.self, QuitCommand.self, SendCommand.self, WatchCommand.self,
        ],
        defaultSubcommand: StatusCommand.self)

    /// Puts the command of `cast HOST COMMAND …` before the host, where the parser looks for it.
    static func commandFirst(_ arguments: [String]) -> [String] {
        guard arguments.first == Self.configuration.commandName, arguments.count > 2 else { return arguments }
        let names = Set(Self.configuration.subcommands.compactMap { $0.configuration.commandName })
        guard !arguments[1].hasPrefix("-"), !names.contains(arguments[1]), arguments[1] != "help",
            let place = arguments.indices.dropFirst(2).first(where: { names.contains(arguments[$0]) })
        else { return arguments }
        var reordered = arguments
        let name = reordered.remove(at: place)
        reordered.insert(name, at: 1)
        return reordered
    }
}
