import AsyncHTTPClient
import CastTransport
import NIOCore
import NIOHTTP1
import NIOSSL

/// What errors of the HTTP client mean, for people: in one form of words, wherever the gateway asks a server for something.
package enum HTTPErrorText {
    /// How many bytes of another library's words are shown.
    private static let longestText = 200

    private static let tooSlow: [HTTPClientError] = [
        .connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout,
    ]

    /// A few words that fit behind a place and a colon.
    package static func words(_ error: any Error) -> String {
        switch error {
        case let error as HTTPClientError where Self.tooSlow.contains(error): return "it took too long"
        case let error as HTTPClientError where error == .remoteConnectionClosed:
            return "the back end closed the connection"
        case ChannelError.connectTimeout: return "it took too long"
        case NIOSSLError.uncleanShutdown, ChannelError.eof:
            return "the back end closed the connection"
        // The connection ended within an answer.
        case HTTPParserError.invalidEOFState: return "the back end closed the connection"
        case is HTTPParserError: return "what came is no HTTP"
        case let error as HTTPClientError: return error.shortDescription
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            return "its certificate is for another name"
        default:
            if "\(error)".contains("CERTIFICATE_VERIFY_FAILED") { return "its certificate is not trusted" }
            let text = TransportError.text(of: error)
            return text.utf8.count > Self.longestText ? "\(text.prefix(Self.longestText))…" : text
        }
    }
}
