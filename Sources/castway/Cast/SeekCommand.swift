import ArgumentParser
import CastClient
import CastWire

/// `castway cast HOST seek`
struct SeekCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seek",
        abstract: "Goes to another position of the media.",
        usage: "castway cast <host>[:<port>] seek <position>",
        discussion: """
            Examples:
              castway cast hall.lan seek 90
              castway cast hall.lan seek 1:02:03
              castway cast hall.lan seek 1m30s
              castway cast hall.lan seek +30
              castway cast hall.lan seek -10
              castway cast hall.lan seek live
            """)

    @OptionGroup var target: CastTarget

    @Argument(
        parsing: .allUnrecognized,
        help: """
            Where to go, from the beginning, or with a sign from where it is: seconds, 1:30, 1:02:03 or 1m30s; `live` is \
            the live edge, or the end.
            """, transform: SeekPosition.init)
    var position: [SeekPosition]

    func validate() throws {
        if self.position.count != 1 {
            throw ValidationError("One position is needed, such as 90, 1:30, +30, -10 or live.")
        }
    }

    func run() async throws {
        guard let position = self.position.first else { return }
        try await self.target.withMediaApp { media in
            // Not every app knows relative positions, so the sum is made here.
            try await media.client.refresh()
            return try await media.perform(position.command(from: media.client.position))
        }
    }
}
