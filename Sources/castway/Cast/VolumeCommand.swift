import ArgumentParser
import CastClient
import CastWire

/// `castway cast HOST volume`
struct VolumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "volume",
        abstract: "Sets the device's volume, or changes it.",
        usage: "castway cast <host>[:<port>] volume <level>",
        discussion: """
            A number above 1 is percent, one below 1 is a fraction: 40, 40% and 0.4 are the same. With a sign the volume \
            is changed by so much: +5 and +5% make it five percent louder. A bare 1 could be one percent or all of it, so \
            it is refused: write 1% or 100%.

            A device whose volume is fixed, as its amplifier or television controls it, refuses.

            Examples:
              castway cast hall.lan volume 40%
              castway cast hall.lan volume 0.4
              castway cast hall.lan volume +5
              castway cast hall.lan volume -10%
            """)

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
        try await self.target.changeVolume { volume in
            guard let level = wish.level(from: volume?.level) else {
                throw CommandFailure(.refused, "the device does not tell its volume, so it cannot be changed by a part")
            }
            return ReceiverVolume(level: level)
        }
    }
}
