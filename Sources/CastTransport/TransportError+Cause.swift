import CastWire
import Glibc
import NIOCore
import NIOPosix
import NIOSSL

extension TransportError {
    /// What an error in a channel means; nil when the peer merely went away, with or without saying so in TLS.
    init?(_ error: any Error) {
        switch error {
        case let error as TransportError: self = error
        case let error as WireError: self = .malformed(error)
        case NIOSSLError.uncleanShutdown: return nil
        case let error as NIOSSLError: self = .tls(Self.text(of: error))
        case let error as BoringSSLError: self = .tls(Self.text(of: error))
        case let error as IOError where error.errnoCode == ECONNRESET || error.errnoCode == EPIPE: return nil
        default: self = .failed(Self.text(of: error))
        }
    }

    /// An error for people: the system's words where there are some.
    public static func text(of error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            if let dns = error.dnsAError ?? error.dnsAAAAError, error.connectionErrors.isEmpty {
                return "the name '\(error.host)' is not found: \(dns)"
            }
            return error.connectionErrors.last.map { Self.text(of: $0.error) } ?? "no address to connect to"
        case let error as IOError: return String(cString: strerror(error.errnoCode))
        case ChannelError.connectTimeout: return "no answer in time"
        default: return "\(error)"
        }
    }
}
