import ArgumentParser
import CastClient
import CastWire

/// `castway cast HOST stream-volume`
struct StreamVolumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stream-volume",
        abstract: "Sets the volume of the media alone, beside the device's, or changes it.",
        usage: "castway cast <host>[:<port>] stream-volume <level>",
        discussion: "The level is written as for the command volume: 40%, 40, 0.4, +5%, -10.")

    @OptionGroup var target: CastTarget

    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp("0% to 100%, 40, 0.4; with + or - by how much.", valueName: "level"),
        transform: VolumeWish.init)
    var levels: [VolumeWish]

    func validate() throws {
        if self.levels.count != 1 { throw ValidationError("One volume is needed, such as 40%, 0.4, +5% or -10%.") }
    }

    func run() async throws {
        guard let wish = self.levels.first else { return }
        try await self.target.withMediaApp { media in
            let volume = try await media.client.refresh().streamVolume
            guard let level = wish.level(from: volume?.level) else {
                throw CommandFailure(
                    .refused, "the app does not tell the volume of its media, so it cannot be changed by a part")
            }
            return try await media.perform(.setStreamVolume(level))
        }
    }
}
