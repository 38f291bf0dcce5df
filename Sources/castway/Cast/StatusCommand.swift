import ArgumentParser
import CastClient
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
            guard let app else { return self.target.show(status) }
            let media = try await self.target.follow(try await device.join(app))
            let reply = try await media.status()
            self.target.show(status, reply: reply, media: media.client.snapshot)
        }
    }
}
