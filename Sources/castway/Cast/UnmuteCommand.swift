import ArgumentParser
import CastSender
import CastWire

/// `castway cast HOST unmute`
struct UnmuteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unmute", abstract: "Switches the sound on.",
        usage: "castway cast <host>[:<port>] unmute")

    @OptionGroup var target: CastTarget

    func run() async throws {
        try await self.target.withDevice { device in
            self.target.show(try await device.setVolume(ReceiverVolume(muted: false)))
        }
    }
}
