import ArgumentParser
import CastWire

/// A repeat mode on the command line.
enum RepeatWord: String, ExpressibleByArgument, CaseIterable {
    case off
    case all
    case single
    case shuffle

    /// The mode on the wire.
    var value: RepeatMode {
        switch self {
        case .off: .off
        case .all: .all
        case .single: .single
        case .shuffle: .allAndShuffle
        }
    }
}
