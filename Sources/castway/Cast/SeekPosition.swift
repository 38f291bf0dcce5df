import ArgumentParser
import DeviceSessions

/// A position on the command line: `90`, `+30`, `-10`, `live`.
enum SeekPosition: ExpressibleByArgument, Hashable {
    /// Seconds from the beginning.
    case absolute(Double)
    /// Seconds from where it is.
    case relative(Double)
    /// The live edge, or the end.
    case live

    init?(argument: String) {
        if argument == "live" {
            self = .live
        } else {
            guard let number = Double(argument), number.isFinite else { return nil }
            self = argument.hasPrefix("+") || argument.hasPrefix("-") ? .relative(number) : .absolute(number)
        }
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
