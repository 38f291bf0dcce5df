public import ArgumentParser
import CastClient
public import CastWire

struct LaunchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        cast: "launch", "Launches an app, unless it runs.", arguments: "<app>",
        examples: ["castway cast hall.lan launch CC1AD845"])

    @OptionGroup var target: CastTarget
    @Argument(help: "The app's id.") var app: AppID

    func run() async throws {
        try await self.target.withDevice { device in
            _ = try await self.target.run(self.app, on: device)
            self.target.show(try await device.status())
        }
    }
}

struct QuitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(cast: "quit", "Stops the app that runs.")

    @OptionGroup var target: CastTarget

    func run() async throws {
        try await self.target.withDevice { device in
            let running = try await device.status().status?.applications.first { !$0.isIdleScreen }
            guard let session = running?.sessionID else { throw CommandFailure(.refused, "no app runs") }
            self.target.show(try await device.stop(sessionID: session))
        }
    }
}

extension AppID: ExpressibleByArgument {
    /// Takes any text without blanks: devices also know apps by other names than eight digits.
    public init?(argument: String) {
        guard !argument.isEmpty, !argument.contains(where: \.isWhitespace) else { return nil }
        self.init(rawValue: argument)
    }

    /// As it is written.
    public var defaultValueDescription: String { self.rawValue }
}
