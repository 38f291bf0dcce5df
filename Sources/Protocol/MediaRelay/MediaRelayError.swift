import Glibc

/// The reason a stream cannot be relayed.
package enum MediaRelayError: Error, Hashable, Sendable, CustomStringConvertible {
    /// As many streams are relayed as may be at once.
    case tooMany(maximum: Int)
    case noPort(ClosedRange<Int>)
    /// A socket that was handed over cannot be used, for this reason.
    case unfit(String)
    /// The system refused, with this number of <errno.h>.
    case system(call: String, number: Int32)

    package var description: String {
        switch self {
        case .tooMany(let maximum): "\(maximum) streams are relayed already"
        case .noPort(let range): "no port of \(range.lowerBound) to \(range.upperBound) is free"
        case .unfit(let reason): "the socket that was handed over cannot be used: \(reason)"
        case .system(let call, let number): "\(call): \(String(cString: strerror(number)))"
        }
    }

    static func last(_ call: String) -> MediaRelayError { .system(call: call, number: errno) }
}
