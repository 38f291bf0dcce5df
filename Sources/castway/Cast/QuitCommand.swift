import ArgumentParser
import CastClient
import CastWire

/// `castway cast HOST quit`
struct QuitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quit", abstract: "Stops the app that runs.", usage: "castway cast <host>[:<port>] quit")

    @OptionGroup var target: CastTarget

    func run() async throws {
        try await self.target.withDevice { device in
            let running = try await device.status().status?.applications.first { !$0.isIdleScreen }
            guard let session = running?.sessionID else { throw CommandFailure(.refused, "no app runs") }
            self.target.show(try await device.stop(sessionID: session))
        }
    }
}
