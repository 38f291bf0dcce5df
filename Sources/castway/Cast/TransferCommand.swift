import ArgumentParser
import CastClient
import CastWire

/// `castway cast HOST transfer`
struct TransferCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transfer",
        abstract: "Moves what plays to another device.",
        usage: "castway cast <host>[:<port>] transfer <host>[:<port>]",
        discussion: """
            The app is started on the other device, and goes on there. The first device stops when the other one plays; when \
            that fails, it plays on. A device found by its name is written name=NAME. Prints the status of the other \
            device.

            Example:
              castway cast hall.lan transfer office.lan
            """)

    @OptionGroup var target: CastTarget

    @Argument(help: ArgumentHelp("The device to go on with.", valueName: "host[:port]"))
    var other: CastAddress

    func run() async throws {
        try await self.target.withDevice { device in
            let app = try await device.joinMediaApp()
            let media = try await self.target.follow(app)
            try await media.refresh()
            try await Self.fetchQueue(of: media)
            try await self.target.withDevice(at: self.other) { other in
                try await self.move(app, media, to: other)
            }
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
            if !result.isOriginStopped {
                StandardError.write(Terminal.error.message("the first device could not be stopped", .warning))
            }
            target.show(try await other.status(), of: self.other)
        } catch let error as TransferFailure {
            throw CommandFailure(error.reason == .timeout ? .timedOut : .refused, error.message)
        }
    }

    /// A queue is moved as a whole when all of it is known.
    private static func fetchQueue(of media: MediaClient) async throws {
        guard media.snapshot.hasQueue else { return }
        guard let reply = try? await media.perform(.fetchItemIDs()) else { return }
        let ids = MediaRequest(json: reply).itemIDs ?? []
        for start in stride(from: 0, to: ids.count, by: 20) {
            _ = try? await media.perform(.fetchItems(Array(ids[start...].prefix(20))))
        }
    }
}
