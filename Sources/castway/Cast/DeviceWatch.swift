import CastClient
import CastWire
import Synchronization

/// Follows a device and the media of its apps, and prints what changes.
final class DeviceWatch: Sendable {
    private struct State {
        var view = StatusView()
        var media: MediaApp?
    }

    private let target: CastTarget
    private let state = Mutex(State())

    init(target: CastTarget) {
        self.target = target
    }

    /// Ends with the channel's error.
    func run(_ device: RemoteDevice) async throws {
        try await self.follow(try await device.status(), on: device)
        for try await message in device.messages {
            if self.target.json { StandardOutput.write(lines: [MessageText.text(message)]) }
            if let status = ReceiverStatusPayload(message.payload), status.status != nil {
                try await self.follow(status, on: device, isPrinted: true)
            } else if message.namespace == .media {
                // The client has heard it before: messages are delivered to it in the channel's own turn.
                self.showMedia()
            }
        }
    }

    /// Prints where playback is as long as something plays.
    func printPositions(every interval: Duration) async throws {
        while true {
            try await Task.sleep(for: interval)
            guard let client = self.state.withLock({ $0.media })?.client else { continue }
            let snapshot = client.snapshot
            guard var status = snapshot.status, snapshot.playerState == .playing else { continue }
            status.currentTime = client.position
            StandardOutput.write(lines: ["position \(StatusBlock.state(status))".printable])
        }
    }

    /// Connects to the app that a status lists, so that its messages come too.
    private func follow(
        _ status: ReceiverStatusPayload, on device: RemoteDevice, isPrinted: Bool = false
    ) async throws {
        if self.target.json, !isPrinted { StandardOutput.write(lines: [JSONValue.object(status.json).text]) }
        let app = status.status?.applications.first
        let (isNew, line) = self.state.withLock { state in
            let isNew = state.view.isNew(app)
            if isNew { state.media = nil }
            return (isNew, state.view.changed(status: status.status))
        }
        self.show(line)
        guard isNew, let app, app.transportID != nil, app.namespaces.contains(.media) else { return }
        let media = try await self.target.follow(try await device.join(app))
        self.state.withLock { $0.media = media }
    }

    private func showMedia() {
        self.show(
            self.state.withLock { state in
                guard let media = state.media else { return nil }
                return state.view.changed(media: media.client.snapshot.status)
            })
    }

    private func show(_ line: String?) {
        if !self.target.json, let line { StandardOutput.write(lines: [line]) }
    }
}
