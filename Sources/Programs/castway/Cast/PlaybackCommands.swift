import ArgumentParser
import CastClient
import CastWire

struct PlayControl: MediaControl {
    static let configuration = CommandConfiguration(cast: "play", "Goes on playing.", arguments: "[--at <time>]")

    @Option(
        parsing: .unconditional,
        help: .init("Where to go on, such as 90 or 1:30; default: where it is.", valueName: "time"))
    var at: MediaTime?

    var command: MediaCommand { .play(at: self.at?.seconds) }
}

struct PauseControl: MediaControl {
    static let configuration = CommandConfiguration(cast: "pause", "Pauses the media.", arguments: "[--at <time>]")

    @Option(
        parsing: .unconditional,
        help: .init("Where to pause, such as 90 or 1:30; default: where it is.", valueName: "time"))
    var at: MediaTime?

    var command: MediaCommand { .pause(at: self.at?.seconds) }
}

struct StopControl: MediaControl {
    static let configuration = CommandConfiguration(cast: "stop", "Unloads the media; the app stays.")

    var command: MediaCommand { .stop() }
}

struct SeekCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        cast: "seek", "Goes to another position of the media.", arguments: "<position>",
        examples: [
            "castway cast hall.lan seek 90", "castway cast hall.lan seek 1:02:03", "castway cast hall.lan seek 1m30s",
            "castway cast hall.lan seek +30", "castway cast hall.lan seek -10", "castway cast hall.lan seek live",
        ])

    @OptionGroup var target: CastTarget

    @Argument(
        parsing: .allUnrecognized,
        help: """
            Where to go, from the beginning, or with a sign from where it is: seconds, 1:30, 1:02:03 or 1m30s; `live` is \
            the live edge, or the end.
            """, transform: SeekPosition.init)
    var position: [SeekPosition]

    func validate() throws {
        if self.position.count != 1 {
            throw ValidationError("One position is needed, such as 90, 1:30, +30, -10 or live.")
        }
    }

    func run() async throws {
        guard let position = self.position.first else { return }
        try await self.target.withMediaApp { media in
            // Not every app knows relative positions, so the sum is made here.
            try await media.refresh()
            return try await media.perform(position.command(from: media.position))
        }
    }
}

/// A position on the command line: `90`, `1:30`, `+30`, `-1m`, `live`.
enum SeekPosition: Hashable, Sendable {
    case absolute(Double)
    /// Seconds from where it is.
    case relative(Double)
    /// The live edge, or the end.
    case live

    /// Reads what a user wrote.
    /// - Throws: `ValidationError` that says what is wrong with it.
    init(_ text: String) throws {
        if text == "live" {
            self = .live
            return
        }
        try UnknownOption.check(text)
        let isRelative = text.hasPrefix("+") || text.hasPrefix("-")
        guard let seconds = MediaTime.seconds(isRelative ? text.dropFirst() : text[...]) else {
            throw ValidationError(
                "A position is written \(MediaTime.forms), with + or - from where it is, or live; not '\(text)'.")
        }
        self = isRelative ? .relative(text.hasPrefix("-") ? -seconds : seconds) : .absolute(seconds)
    }

    /// The command that goes there; never before the beginning.
    func command(from current: Double) -> MediaCommand {
        switch self {
        case .absolute(let seconds): .seek(to: seconds)
        case .relative(let offset): .seek(to: max(0, current + offset))
        case .live: .seekToEnd()
        }
    }
}

struct RateControl: MediaControl {
    static let configuration = CommandConfiguration(cast: "rate", "Plays faster or slower.", arguments: "<rate>")

    @Argument(help: "1 is normal; most apps take 0.5 to 2.") var rate: Double

    func validate() throws {
        guard self.rate > 0 else { throw ValidationError("A rate is greater than 0, not \(self.rate).") }
    }

    var command: MediaCommand { .setPlaybackRate(self.rate) }
}

struct SkipAdControl: MediaControl {
    static let configuration = CommandConfiguration(cast: "skip-ad", "Skips the advertisement that plays.")

    var command: MediaCommand { .skipAd() }
}
