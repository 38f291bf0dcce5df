import ArgumentParser
import CastClient
import CastWire

/// `castway cast HOST mute`
struct MuteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mute", abstract: "Switches the sound off.",
        usage: "castway cast <host>[:<port>] mute",
        discussion: "A device whose volume is fixed refuses.")

    @OptionGroup var target: CastTarget

    func run() async throws {
        try await self.target.changeVolume { _ in ReceiverVolume(muted: true) }
    }
}
