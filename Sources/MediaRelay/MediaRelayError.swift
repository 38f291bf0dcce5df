import Glibc

/// Why a stream cannot be relayed.
public enum MediaRelayError: Error, Hashable, Sendable, CustomStringConvertible {
    /// As many streams are relayed as may be at once.
    case tooMany(maximum: Int)
    /// Every port of the range is taken.
    case noPort(ClosedRange<Int>)
    /// The system refused, with this number of <errno.h>.
    case system(call: String, number: Int32)

    /// The reason in words.
    public var description: String {
        switch self {
        case .tooMany(let maximum): "\(maximum) streams are relayed already"
        case .noPort(let range): "no port of \(range.lowerBound) to \(range.upperBound) is free"
        case .system(let call, let number): "\(call): \(String(cString: strerror(number)))"
        }
    }

    static func last(_ call: String) -> MediaRelayError { .system(call: call, number: errno) }
}
