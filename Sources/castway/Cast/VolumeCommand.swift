import ArgumentParser
import CastSender
import CastWire

/// `castway cast HOST volume`
struct VolumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "volume",
        abstract: "Sets the device's volume.",
        usage: "castway cast <host>[:<port>] volume <level>",
        discussion: """
            Examples:
              castway cast hall.lan volume 40%
              castway cast hall.lan volume 0.4
            """)

    @OptionGroup var target: CastTarget

    @Argument(help: "From 0 to 1, or from 0% to 100%.")
    var level: VolumeLevel

    func run() async throws {
        try await self.target.withDevice { device in
            self.target.show(try await device.setVolume(ReceiverVolume(level: self.level.value)))
        }
    }
}
