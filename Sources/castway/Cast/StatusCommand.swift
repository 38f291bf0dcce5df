import ArgumentParser
import CastSender
import CastWire

/// `castway cast HOST status`
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Shows the volume, the app that runs and what it plays.",
        usage: "castway cast <host>[:<port>] status")

    @OptionGroup var target: CastTarget

    func run() async throws {
        try await self.target.withDevice { device in
            let status = try await device.status()
            let app = status.status?.applications.first { !$0.isIdleScreen && $0.namespaces.contains(.media) }
            var media: MediaReply?
            if let app { media = try await device.join(app).mediaStatus() }
            self.target.show(status, media: media)
        }
    }
}
