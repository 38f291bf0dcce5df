import ArgumentParser
import GatewayConfig

/// `castway cast`
struct CastCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cast",
        abstract: "Talks to a Cast device, virtual or real, as a sender.",
        usage: "castway cast <host>[:<port>] | --device <name> <command> [<arguments>] [--timeout <time>] [--json]",
        discussion: """
            The port is 8009 unless another one is given. A device may also be called by its name or id: those that \
            gateway.yaml names are known without a search. Without a command the status is shown. In JSON the \
            device's own messages are printed, one a line.

            Examples:
              castway cast 127.0.0.1:8010
              castway cast --device "Living Room" play
              castway cast 127.0.0.1:8010 load http://192.0.2.9/one.mp4 --title One
              castway cast 127.0.0.1:8010 check http://192.0.2.9/one.mp4
              castway cast 127.0.0.1:8010 add http://192.0.2.9/two.mp4
              castway cast 127.0.0.1:8010 tracks --text de
              castway cast 127.0.0.1:8010 seek +30
              castway cast 127.0.0.1:8010 volume 40%
              castway cast hall.lan send urn:x-cast:com.example.quiz '{"join":1}' --app ABCD1234
              castway cast 127.0.0.1:8010 watch

            \(ExitStatus.help(.ok, .usage, .unreachable, .timedOut, .refused))
            """,
        subcommands: [
            StatusCommand.self, LoadCommand.self, CastCheckCommand.self, PlayCommand.self, PauseCommand.self,
            StopCommand.self, SeekCommand.self, RateCommand.self, SkipAdCommand.self, QueueCommand.self,
            AddCommand.self, NextCommand.self, PreviousCommand.self, JumpCommand.self, RemoveCommand.self,
            MoveCommand.self, RepeatCommand.self, ShuffleCommand.self, TracksCommand.self, TextStyleCommand.self,
            VolumeCommand.self, MuteCommand.self, UnmuteCommand.self, StreamVolumeCommand.self, LaunchCommand.self,
            QuitCommand.self, TransferCommand.self, SendCommand.self, WatchCommand.self,
        ],
        defaultSubcommand: StatusCommand.self)

    /// Puts the command of `cast HOST COMMAND …` before the host, where the parser looks for it, and makes the host of
    /// `--device NAME`.
    /// - Throws: `ValidationError` when a host is given beside `--device`.
    static func commandFirst(_ arguments: [String]) throws -> [String] {
        guard arguments.first == Self.configuration.commandName else { return arguments }
        // The status is shown without a command, so the parser would take the word for a device.
        if arguments.dropFirst().first == "help" { return ["help", arguments[0]] + arguments.dropFirst(2) }
        let arguments = try Self.hostFromDevice(arguments)
        guard arguments.count > 2 else { return arguments }
        let names = Set(Self.configuration.subcommands.compactMap { $0.configuration.commandName })
        guard !arguments[1].hasPrefix("-"), !names.contains(arguments[1]),
            let place = arguments.indices.dropFirst(2).first(where: { names.contains(arguments[$0]) })
        else {
            try Self.checkCommand(of: arguments, names: names)
            return arguments
        }
        var reordered = arguments
        let name = reordered.remove(at: place)
        reordered.insert(name, at: 1)
        return reordered
    }

    /// - Throws: `ValidationError` when a word stands behind the host that is no command.
    private static func checkCommand(of arguments: [String], names: Set<String>) throws {
        guard !arguments[1].hasPrefix("-"), !names.contains(arguments[1]),
            !arguments[2].hasPrefix("-")
        else { return }
        let guess = EditDistance.suggestion(for: arguments[2], among: names.sorted()).map { ": did you mean '\($0)'?" }
        throw ValidationError(
            "There is no command '\(arguments[2])'\(guess ?? "; 'castway cast --help' lists them.")")
    }

    /// `--device NAME` stands for the host, wherever it is given.
    private static func hostFromDevice(_ arguments: [String]) throws -> [String] {
        let option = "--device"
        var arguments = arguments
        let name: String
        if let place = arguments.firstIndex(where: { $0.hasPrefix(option + "=") }) {
            name = String(arguments.remove(at: place).dropFirst(option.count + 1))
        } else if let place = arguments.firstIndex(of: option), place + 1 < arguments.count {
            name = arguments.remove(at: place + 1)
            arguments.remove(at: place)
        } else {
            return arguments
        }
        let names = Set(Self.configuration.subcommands.compactMap { $0.configuration.commandName })
        let isCommandFirst = arguments.count > 1 && names.contains(arguments[1])
        if arguments.count > 1, !isCommandFirst, !arguments[1].hasPrefix("-") {
            throw ValidationError("Two devices are given: '\(arguments[1])' and --device '\(name)'.")
        }
        arguments.insert(CastAddress.namePrefix + name, at: isCommandFirst ? 2 : 1)
        return arguments
    }
}
