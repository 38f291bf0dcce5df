import ArgumentParser
import CastClient
import CastWire
import UnixSignals

/// `castway cast HOST watch`
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Prints every change of the status until it is interrupted.",
        usage: "castway cast <host>[:<port>] watch [--positions <time> | --json]",
        discussion: """
            With --json every message that the device sends is printed, one a line. Positions are computed here, and \
            nothing is asked for, so they do not go with --json.

            Examples:
              castway cast hall.lan watch --positions 1
              castway cast hall.lan watch --json | jq .type
            """)

    @OptionGroup var target: CastTarget

    @Option(
        help: ArgumentHelp("Prints where playback is, every so often: 1, 1s or 500ms.", valueName: "time"))
    var positions: CommandTimeout?

    func validate() throws {
        if let positions, positions.duration < .milliseconds(100) {
            throw ValidationError("Positions are printed every 0.1 seconds or less often.")
        }
        if self.positions != nil, self.target.json {
            throw ValidationError("--positions does not go with --json, which prints the device's own messages alone.")
        }
    }

    func run() async throws {
        let interruptions = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        try await self.target.withDevice { device in
            let watch = DeviceWatch(target: self.target)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { for await _ in interruptions { return } }
                group.addTask { try await watch.run(device) }
                if let positions {
                    group.addTask { try await watch.printPositions(every: positions.duration) }
                }
                // Whoever ends first ends all: the interruption, or the channel with its error.
                try await group.next()
                group.cancelAll()
            }
        }
    }
}
