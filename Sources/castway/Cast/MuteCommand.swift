import ArgumentParser
import CastSender
import CastWire

/// `castway cast HOST mute`
struct MuteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mute", abstract: "Switches the sound off.",
        usage: "castway cast <host>[:<port>] mute")

    @OptionGroup var target: CastTarget

    func run() async throws {
        try await self.target.withDevice { device in
            self.target.show(try await device.setVolume(ReceiverVolume(muted: true)))
        }
    }
}
