import ArgumentParser
import CastClient

/// A position on the command line: `90`, `1:30`, `+30`, `-1m`, `live`.
enum SeekPosition: Hashable, Sendable {
    /// Seconds from the beginning.
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
