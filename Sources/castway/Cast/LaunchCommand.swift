import ArgumentParser
import CastClient
import CastWire

/// `castway cast HOST launch`
struct LaunchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "launch",
        abstract: "Launches an app, unless it runs.",
        usage: "castway cast <host>[:<port>] launch <app>",
        discussion: """
            Example:
              castway cast hall.lan launch CC1AD845
            """)

    @OptionGroup var target: CastTarget

    @Argument(help: "The app's id.")
    var app: AppID

    func run() async throws {
        try await self.target.withDevice { device in
            _ = try await self.target.run(self.app, on: device)
            self.target.show(try await device.status())
        }
    }
}
