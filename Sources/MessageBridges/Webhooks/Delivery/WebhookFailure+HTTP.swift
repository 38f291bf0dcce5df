import AsyncHTTPClient
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

extension WebhookFailure {
    /// How many bytes of another library's words are shown.
    private static let longestText = 200

    private static let shutDown: [HTTPClientError] = [.alreadyShutdown, .cancelled]
    private static let tooSlow: [HTTPClientError] = [
        .connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout,
    ]

    /// Why no connection was made, or why no answer came.
    /// - Parameters:
    ///   - wasSent: whether the request was on its way.
    ///   - place: scheme, host, port and address, for people.
    init(_ error: any Error, wasSent: Bool, place: String) {
        let words = Self.words(error)
        switch error {
        case let error as HTTPClientError where Self.shutDown.contains(error): self = .ended
        case let error as HTTPClientError where Self.isMalformed(error): self = .malformed("no request: \(words)")
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
            self = .encryption("no TLS with \(place): \(words)")
        default:
            self =
                wasSent
                ? .noAnswer("no answer from \(place): \(words)") : .connection("no connection to \(place): \(words)")
        }
    }

    /// Whether a connection ended before anything came, as one does that the back end closes for idleness just when it is used.
    static func isClosed(_ error: any Error) -> Bool {
        switch error {
        case let error as HTTPClientError: error == .remoteConnectionClosed
        case ChannelError.ioOnClosedChannel, ChannelError.eof, NIOSSLError.uncleanShutdown: true
        case let error as IOError: error.errnoCode == ECONNRESET || error.errnoCode == EPIPE
        default: false
        }
    }

    private static func isMalformed(_ error: HTTPClientError) -> Bool {
        let words = error.shortDescription
        return words.hasPrefix("Invalid header field") || words == HTTPClientError.invalidURL.shortDescription
    }

    private static func words(_ error: any Error) -> String {
        switch error {
        case let error as IOError: return String(cString: strerror(error.errnoCode))
        case let error as NIOConnectionError:
            return error.connectionErrors.last.map { Self.words($0.error) } ?? "no address to connect to"
        case let error as HTTPClientError where Self.tooSlow.contains(error): return "it took too long"
        case let error as HTTPClientError where error == .remoteConnectionClosed:
            return "the back end closed the connection"
        case ChannelError.connectTimeout: return "it took too long"
        case NIOSSLError.uncleanShutdown, ChannelError.eof:
            return "the back end closed the connection"
        case is HTTPParserError: return "what came is no HTTP"
        case let error as HTTPClientError: return error.shortDescription
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            return "its certificate is for another name"
        default:
            let text = "\(error)"
            if text.contains("CERTIFICATE_VERIFY_FAILED") { return "its certificate is not trusted" }
            return text.utf8.count > Self.longestText ? "\(text.prefix(Self.longestText))…" : text
        }
    }
}
