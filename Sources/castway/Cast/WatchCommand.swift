import ArgumentParser
import CastSender
import CastWire
import DeviceSessions
import UnixSignals

/// `castway cast HOST watch`
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Prints every change of the status until it is interrupted.",
        usage: "castway cast <host>[:<port>] watch [--positions <seconds>] [--json]",
        discussion: """
            With --json every message that the device sends is printed, one a line. Positions are computed here; nothing \
            is asked for.

            Examples:
              castway cast hall.lan watch --positions 1
              castway cast hall.lan watch --json | jq .type
            """)

    @OptionGroup var target: CastTarget

    @Option(help: ArgumentHelp("Prints where playback is, every so many seconds.", valueName: "seconds"))
    var positions: Double?

    func validate() throws {
        if let positions, !(positions >= 0.1 && positions <= 3600) {
            throw ValidationError("Positions are printed every 0.1 to 3600 seconds.")
        }
    }

    func run() async throws {
        let interruptions = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        try await self.target.withDevice { device in
            let watch = DeviceWatch(target: self.target)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { for await _ in interruptions { return } }
                group.addTask { try await watch.run(device) }
                if let positions, !self.target.json {
                    group.addTask { try await watch.printPositions(every: .seconds(positions)) }
                }
                // Whoever ends first ends all: the interruption, or the channel with its error.
                try await group.next()
                group.cancelAll()
            }
        }
    }
}
