import AsyncHTTPClient
import Glibc
import HTTPFetching
import NIOCore
import NIOHTTP1
import NIOSSL

extension WebhookFailure {
    private static let shutDown: [HTTPClientError] = [.alreadyShutdown, .cancelled]

    /// Describes why no connection was made, or why no answer came.
    /// - Parameters:
    ///   - wasSent: whether the request was on its way.
    ///   - place: scheme, host, port and address, for people.
    init(_ error: any Error, wasSent: Bool, place: String) {
        let words = HTTPErrorText.words(error)
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

    /// True if a connection ended before anything came, as one does that the back end closes for idleness just when it is used.
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
}
