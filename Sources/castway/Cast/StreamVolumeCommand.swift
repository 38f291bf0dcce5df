import ArgumentParser
import DeviceSessions

/// `castway cast HOST stream-volume`
struct StreamVolumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stream-volume", abstract: "Sets the volume of the media alone, beside the device's.",
        usage: "castway cast <host>[:<port>] stream-volume <level>")

    @OptionGroup var target: CastTarget

    @Argument(help: "From 0 to 1, or from 0% to 100%.")
    var level: VolumeLevel

    func run() async throws {
        try await self.target.command(.setStreamVolume(self.level.value))
    }
}
