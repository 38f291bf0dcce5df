import ArgumentParser
import CastClient
import CastWire
import Synchronization
import UnixSignals

struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        cast: "watch", "Prints every change of the status until it is interrupted.",
        arguments: "[--positions <time> | --json]",
        """
        With --json every message that the device sends is printed, one a line. Positions are computed here, and \
        nothing is asked for, so they do not go with --json.
        """,
        examples: ["castway cast hall.lan watch --positions 1", "castway cast hall.lan watch --json | jq .type"])

    @OptionGroup var target: CastTarget

    @Option(
        parsing: .unconditional,
        help: .init("Prints where playback is, every so often: 1, 1s or 500ms.", valueName: "time"))
    var positions: CommandTimeout?

    func validate() throws {
        if let positions, positions.duration < .milliseconds(100) {
            throw ValidationError("Positions are printed every 0.1 seconds or less often.")
        }
        if self.positions != nil, self.target.json {
            throw ValidationError("--positions does not go with --json, which prints the device's own messages alone.")
        }
    }

    func run() async throws {
        let interruptions = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        try await self.target.withDevice { device in
            let watch = DeviceWatch(target: self.target)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { for await _ in interruptions { return } }
                group.addTask { try await watch.run(device) }
                if let positions { group.addTask { try await watch.printPositions(every: positions.duration) } }
                // The first to end ends all: the interruption, or the channel with its error.
                try await group.next()
                group.cancelAll()
            }
        }
    }
}

/// Follows a device and the media of its apps, and prints what changes.
final class DeviceWatch: Sendable {
    private struct State {
        var view = StatusView()
        var media: MediaClient?
    }

    private let target: CastTarget
    private let state = Mutex(State())

    init(target: CastTarget) { self.target = target }

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
            guard let client = self.state.withLock({ $0.media }) else { continue }
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
                return state.view.changed(media: media.snapshot.status)
            })
    }

    private func show(_ line: String?) {
        if !self.target.json, let line { StandardOutput.write(lines: [line]) }
    }
}

/// What a watcher has seen of a device, to tell changes from repetitions.
struct StatusView {
    private var volume: ReceiverVolume?
    private var application: ReceiverApplication?
    private var media: MediaStatus?
    private var lastLine: String?

    /// Whether this is another app session than the one before.
    func isNew(_ application: ReceiverApplication?) -> Bool {
        application?.transportID != self.application?.transportID
    }

    /// Takes a status of the device; gives a line when people see a difference.
    mutating func changed(status: ReceiverStatus?) -> String? {
        let application = status?.applications.first
        if self.isNew(application) { self.media = nil }
        self.volume = status?.volume ?? self.volume
        self.application = application
        return self.nextLine()
    }

    /// Takes a status of the media; an unchanged part that it leaves out is kept.
    mutating func changed(media: MediaStatus?) -> String? {
        var media = media
        if media?.media == nil, media?.mediaSessionID == self.media?.mediaSessionID { media?.media = self.media?.media }
        self.media = media
        return self.nextLine()
    }

    private mutating func nextLine() -> String? {
        let line = self.line
        guard line != self.lastLine else { return nil }
        self.lastLine = line
        return line
    }

    private var line: String {
        var parts = [self.volume.map(StatusBlock.text).map { "volume \($0)" }]
        parts.append(self.application.map { $0.displayName ?? $0.appID?.rawValue ?? "an app" } ?? "no app")
        if let media {
            parts.append(StatusBlock.state(media))
            parts.append(media.media?.metadata?.title ?? media.media?.playableURL)
        }
        return parts.compactMap(\.self).joined(separator: " · ").printable
    }
}
