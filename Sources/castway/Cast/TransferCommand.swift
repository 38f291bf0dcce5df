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
            let media = try await self.target.follow(try await device.joinMediaApp())
            _ = try await media.status()
            try await Self.fetchQueue(of: media)
            try await self.target.withDevice(at: self.other) { other in
                try await self.move(media, to: other)
            }
        }
    }

    private func move(_ media: MediaApp, to other: RemoteDevice) async throws {
        let application = media.app.application
        let id = application.universalAppID ?? application.appID ?? .defaultMediaReceiver
        let target = self.target
        let transfer = StreamTransfer(
            from: .device(client: media.client) {
                (try? await media.app.device.stop(sessionID: application.sessionID)) != nil
            },
            to: .device { try await target.follow(try await target.run(id, on: other)).client })
        do {
            let result = try await transfer.run()
            if !result.isOriginStopped { StandardError.write("castway: the first device could not be stopped\n") }
            target.show(try await other.status(), of: self.other)
        } catch let error as TransferFailure {
            throw CommandFailure(error.reason == .timeout ? .timedOut : .refused, error.message)
        }
    }

    /// A queue is moved as a whole when all of it is known.
    private static func fetchQueue(of media: MediaApp) async throws {
        guard media.client.snapshot.hasQueue else { return }
        guard let reply = try? await media.perform(.fetchItemIDs()) else { return }
        let ids = MediaRequest(json: reply).itemIDs ?? []
        for start in stride(from: 0, to: ids.count, by: 20) {
            _ = try? await media.perform(.fetchItems(Array(ids[start...].prefix(20))))
        }
    }
}
