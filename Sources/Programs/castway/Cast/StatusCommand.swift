import ArgumentParser
import CastClient
import CastWire

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        cast: "status", "Shows the volume, the app that runs and what it plays.")

    @OptionGroup var target: CastTarget

    func run() async throws {
        try await self.target.withDevice { device in
            let status = try await device.status()
            let app = status.status?.applications.first { !$0.isIdleScreen && $0.namespaces.contains(.media) }
            guard let app else { return self.target.show(status) }
            let media = try await self.target.follow(try await device.join(app))
            let reply = try await media.perform(.refreshStatus())
            self.target.show(status, reply: reply, media: media.snapshot)
        }
    }
}

/// The status of a device in a few lines for people.
struct StatusBlock {
    let address: CastAddress
    let volume: ReceiverVolume?
    let application: ReceiverApplication?
    let media: MediaStatus?
    /// Whether the absence of media is worth a line.
    var isAboutMedia = false

    var lines: [String] { self.lines(.plain) }

    /// The lines; whatever the device said is made fit for a terminal.
    func lines(_ paint: Paint) -> [String] {
        var lines = ["device  \(self.address.description.printable)"]
        if let volume { lines.append("volume  \(Self.text(volume))") }
        if let application {
            let id = application.appID?.rawValue ?? "?"
            var line = "app     \(application.displayName ?? id) (\(id))"
            if let text = application.statusText, text != application.displayName { line += ": \(text)" }
            lines.append(line.printable)
        } else {
            lines.append("app     none")
        }
        if let media {
            let isGood = media.playerState != .idle || media.json.string("idleReason") != "ERROR"
            lines.append("state   \(paint(Self.state(media).printable, isGood ? .good : .error))")
            if let title = media.media?.metadata?.title { lines.append("title   \(title)".printable) }
            if let url = media.media?.playableURL { lines.append("media   \(url)".printable) }
        } else if self.isAboutMedia {
            lines.append("state   nothing is loaded")
        }
        return lines
    }

    /// `40 %`, `40 %, muted`.
    static func text(_ volume: ReceiverVolume) -> String {
        let level = volume.level.map { "\(Int(($0 * 100).rounded())) %" } ?? "unknown"
        let isFixed = volume.controlType == .fixed
        return level + (volume.muted == true ? ", muted" : "") + (isFixed ? ", fixed" : "")
    }

    /// `PLAYING 0:12 of 10:00`, `IDLE, FINISHED`.
    static func state(_ media: MediaStatus) -> String {
        let state = media.playerState?.rawValue ?? "unknown"
        if media.playerState == .idle { return state + (media.json.string("idleReason").map { ", \($0)" } ?? "") }
        guard let time = media.currentTime else { return state }
        if media.media?.streamType == .live { return "\(state) \(Duration.clock(time)), live" }
        let duration = media.media?.duration.map { " of \(Duration.clock($0))" } ?? ""
        return "\(state) \(Duration.clock(time))\(duration)"
    }
}
