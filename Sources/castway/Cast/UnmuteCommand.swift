import ArgumentParser
import CastClient
import CastWire

/// `castway cast HOST unmute`
struct UnmuteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unmute", abstract: "Switches the sound on.",
        usage: "castway cast <host>[:<port>] unmute",
        discussion: "A device whose volume is fixed refuses.")

    @OptionGroup var target: CastTarget

    func run() async throws {
        try await self.target.changeVolume { _ in ReceiverVolume(muted: false) }
    }
}
