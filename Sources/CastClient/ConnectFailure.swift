import Glibc
import NIOCore
import NIOPosix

/// Says in words for people why a channel could not be opened.
enum ConnectFailure {
    /// A short text without the names of system calls.
    static func text(_ error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            if let first = error.connectionErrors.first { return Self.text(first.error) }
            return "the name '\(error.host)' is unknown"
        case let error as IOError:
            return Self.text(errno: error.errnoCode)
        case ChannelError.connectTimeout(let time):
            return "no answer within \(Double(time.nanoseconds) / 1e9) s"
        case is SocketAddressError:
            return "the name is unknown"
        default:
            return "\(error)"
        }
    }

    private static func text(errno code: Int32) -> String {
        strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }
}
