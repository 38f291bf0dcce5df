import ArgumentParser
import CastClient
import CastWire

struct TransferCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        cast: "transfer", "Moves what plays to another device.", arguments: "<host>[:<port>]",
        """
        The app is started on the other device, and goes on there. The first device stops when the other one plays; when \
        that fails, it plays on. A device found by its name is written name=NAME. Prints the status of the other \
        device.
        """,
        examples: ["castway cast hall.lan transfer office.lan"])

    @OptionGroup var target: CastTarget
    @Argument(help: .init("The device to go on with.", valueName: "host[:port]")) var other: CastAddress

    func run() async throws {
        try await self.target.withDevice { device in
            let app = try await device.joinMediaApp()
            let media = try await self.target.follow(app)
            try await media.refresh()
            // A queue is moved as a whole when all of it is known.
            if media.snapshot.hasQueue { _ = try? await media.fetchQueue() }
            try await self.target.withDevice(at: self.other) { other in try await self.move(app, media, to: other) }
        }
    }

    private func move(_ app: RemoteApp, _ media: MediaClient, to other: RemoteDevice) async throws {
        let application = app.application
        let id = application.universalAppID ?? application.appID ?? .defaultMediaReceiver
        let target = self.target
        let transfer = StreamTransfer(
            from: .device(client: media) { (try? await app.stop()) != nil },
            to: .device { try await target.follow(try await target.run(id, on: other)) })
        do {
            let result = try await transfer.run()
            if !result.isOriginStopped { StandardError.say("the first device could not be stopped", .warning) }
            target.show(try await other.status(), of: self.other)
        } catch let error as TransferFailure {
            throw CommandFailure(error.reason == .timeout ? .timedOut : .refused, error.message)
        }
    }
}
