import ArgumentParser
import CastSender
import CastWire

/// `castway cast HOST seek`
struct SeekCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seek",
        abstract: "Moves to another position.",
        usage: "castway cast <host>[:<port>] seek <seconds> | +<seconds> | -<seconds>",
        discussion: """
            Examples:
              castway cast hall.lan seek 90       to a minute and a half
              castway cast hall.lan seek +30      thirty seconds on
              castway cast hall.lan seek -10      ten seconds back
            """)

    @OptionGroup var target: CastTarget

    @Argument(parsing: .allUnrecognized, help: "Where to go, from the beginning, or with a sign from where it is.")
    var position: [SeekPosition]

    func validate() throws {
        if self.position.count != 1 { throw ValidationError("One position is needed, such as 90, +30 or -10.") }
    }

    func run() async throws {
        guard let position = self.position.first else { return }
        try await self.target.withMediaApp { app in
            guard let status = try await app.mediaStatus().status, let session = status.mediaSessionID else {
                throw SenderError.nothingLoaded
            }
            var request = MediaRequest()
            request.type = .seek
            request.mediaSessionID = session
            // Not every app knows relative positions, so the sum is made here.
            request.currentTime = position.seconds(from: status.currentTime ?? 0)
            return try await app.command(request)
        }
    }
}
