import ArgumentParser
import GatewayConfig

struct CastCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cast", abstract: "Talks to a Cast device, virtual or real, as a sender.",
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
            StatusCommand.self, LoadCommand.self, CastCheckCommand.self, PlayControl.asCommand, PauseControl.asCommand,
            StopControl.asCommand, SeekCommand.self, RateControl.asCommand, SkipAdControl.asCommand, QueueCommand.self,
            AddCommand.self, NextControl.asCommand, PreviousControl.asCommand, JumpControl.asCommand,
            RemoveControl.asCommand, MoveControl.asCommand, RepeatControl.asCommand, ShuffleControl.asCommand,
            TracksCommand.self, TextStyleControl.asCommand, VolumeCommand.self, MuteCommand.self, UnmuteCommand.self,
            StreamVolumeCommand.self, LaunchCommand.self, QuitCommand.self, TransferCommand.self, SendCommand.self,
            WatchCommand.self,
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
        guard !arguments[1].hasPrefix("-"), !Self.names.contains(arguments[1]) else { return arguments }
        if let place = arguments.indices.dropFirst(2).first(where: { Self.names.contains(arguments[$0]) }) {
            var reordered = arguments
            let name = reordered.remove(at: place)
            reordered.insert(name, at: 1)
            return reordered
        }
        // A word after the host that is no command.
        guard !arguments[2].hasPrefix("-") else { return arguments }
        let guess = EditDistance.suggestion(for: arguments[2], among: Self.names.sorted())
        let hint = guess.map { ": did you mean '\($0)'?" } ?? "; 'castway cast --help' lists them."
        throw ValidationError("There is no command '\(arguments[2])'\(hint)")
    }

    private static let names = Set(Self.configuration.subcommands.compactMap { $0.configuration.commandName })

    /// `--device NAME` stands for the host, wherever it is given.
    private static func hostFromDevice(_ arguments: [String]) throws -> [String] {
        guard let option = ProcessOption("--device", in: arguments), let name = option.word else { return arguments }
        var arguments = option.rest
        let isCommandFirst = arguments.count > 1 && Self.names.contains(arguments[1])
        if arguments.count > 1, !isCommandFirst, !arguments[1].hasPrefix("-") {
            throw ValidationError("Two devices are given: '\(arguments[1])' and --device '\(name)'.")
        }
        arguments.insert(CastAddress.namePrefix + name, at: isCommandFirst ? 2 : 1)
        return arguments
    }
}

extension CommandConfiguration {
    /// A command of `castway cast`, whose name stands behind the host.
    /// - Parameter arguments: follow the name in the usage.
    init(
        cast name: String, _ abstract: String, arguments: String = "", _ discussion: String = "",
        examples: [String] = []
    ) {
        self.init(name, abstract, discussion, examples: examples)
        self.usage = "castway cast <host>[:<port>] \(name)\(arguments.isEmpty ? "" : " ")\(arguments)"
    }
}
