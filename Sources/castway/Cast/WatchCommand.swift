import ArgumentParser
import CastSender
import CastWire
import UnixSignals

/// `castway cast HOST watch`
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Prints every change of the status until it is interrupted.",
        usage: "castway cast <host>[:<port>] watch [--json]",
        discussion: """
            With --json every message that the device sends is printed, one a line.

            Example:
              castway cast hall.lan watch --json | jq .type
            """)

    @OptionGroup var target: CastTarget

    func run() async throws {
        let interruptions = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        try await self.target.withDevice { device in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { for await _ in interruptions { return } }
                group.addTask { try await self.watch(device) }
                // Whoever ends first ends both: the interruption, or the channel with its error.
                try await group.next()
                group.cancelAll()
            }
        }
    }

    private func watch(_ device: RemoteDevice) async throws {
        var view = StatusView()
        try await self.follow(try await device.status(), on: device, view: &view)
        for try await message in device.messages {
            if self.target.json { StandardOutput.write(lines: [MessageText.text(message)]) }
            if let status = ReceiverStatusPayload(message.payload), status.status != nil {
                try await self.follow(status, on: device, view: &view, isPrinted: true)
            } else if let media = MediaReply(message.payload), media.type == "MEDIA_STATUS" {
                self.show(view.changed(media: media.status))
            }
        }
    }

    /// Connects to the app that a status lists, so that its messages come too.
    private func follow(
        _ status: ReceiverStatusPayload, on device: RemoteDevice, view: inout StatusView, isPrinted: Bool = false
    ) async throws {
        if self.target.json, !isPrinted { StandardOutput.write(lines: [JSONValue.object(status.json).text]) }
        let app = status.status?.applications.first
        let isNew = view.isNew(app)
        self.show(view.changed(status: status.status))
        guard isNew, let app, app.transportID != nil, app.namespaces.contains(.media) else { return }
        let joined = try await device.join(app)
        // An app that goes away at once is no reason to stop watching the device.
        guard let media = try? await joined.mediaStatus() else { return }
        if self.target.json { StandardOutput.write(lines: [JSONValue.object(media.json).text]) }
        self.show(view.changed(media: media.status))
    }

    private func show(_ line: String?) {
        if !self.target.json, let line { StandardOutput.write(lines: [line]) }
    }
}
