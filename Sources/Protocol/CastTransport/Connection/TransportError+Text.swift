import Glibc
import NIOCore
import NIOPosix
import NIOSSL

extension TransportError {
    /// An error of the network for people, in words that fit behind a place and a colon: without names of types, numbers of errors and
    /// names of system calls.
    package static func text(of error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            if error.connectionErrors.isEmpty, error.dnsAError != nil || error.dnsAAAAError != nil {
                return Self.notFound(error.host)
            }
            return error.connectionErrors.last.map { Self.text(of: $0.error) } ?? "no address to connect to"
        case let error as IOError: return String(cString: strerror(error.errnoCode))
        case let error as SocketAddressError.UnknownHost: return Self.notFound(error.host)
        case SocketAddressError.unixDomainSocketPathTooLong: return "the path of the socket is too long"
        case is SocketAddressError: return "this is no address to connect to"
        case ChannelError.connectTimeout: return "no answer in time"
        case is ChannelError: return "the connection is closed"
        case is CancellationError: return "it was given up"
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError: return Self.text(ofTLS: error)
        default: return "\(error)"
        }
    }

    /// Why an address cannot be listened on, for people; an address that the machine does not have, since a network interface is missing,
    /// is told with where to look.
    package static func text(ofListening error: any Error) -> String {
        guard let code = (error as? IOError)?.errnoCode, code == EADDRNOTAVAIL || code == ENODEV else {
            return Self.text(of: error)
        }
        return "no network interface of this machine has that address now; 'castway doctor' lists what is missing"
    }

    private static func notFound(_ host: String) -> String { "the name '\(host)' is not found" }

    /// What words of BoringSSL mean; the first that its text has counts.
    private static let wordsOfTLS: [(names: [String], text: String)] = [
        (["CERTIFICATE_VERIFY_FAILED", "unableToValidateCertificate"], "the peer's certificate is not trusted"),
        (["noCertificateToValidate", "PEER_DID_NOT_RETURN_A_CERTIFICATE"], "the peer shows no certificate"),
        (["failedToValidateHostname"], "the peer's certificate is for another name"),
        (["EOF during handshake", "uncleanShutdown"], "the peer hung up before the handshake was done"),
        (["HTTP_REQUEST", "HTTPS_PROXY_REQUEST"], "the peer speaks HTTP without TLS"),
        (["WRONG_VERSION_NUMBER", "INVALID_SSL_SESSION", "UNEXPECTED_RECORD"], "what the peer sends is no TLS"),
        (
            ["UNSUPPORTED_PROTOCOL", "PROTOCOL_VERSION", "NO_SHARED_CIPHER", "HANDSHAKE_FAILURE"],
            "the two ends have no version and no cipher of TLS in common"
        ),
        (["CERTIFICATE_EXPIRED"], "the peer says that the certificate is over"),
        (["UNKNOWN_CA", "CERTIFICATE_UNKNOWN", "BAD_CERTIFICATE"], "the peer does not trust the certificate"),
        (["failedToLoadCertificate", "noSuchFilesystemObject"], "a certificate cannot be read"),
        (["failedToLoadPrivateKey"], "a private key cannot be read"),
    ]

    /// What a failure of TLS means.
    private static func text(ofTLS error: any Error) -> String {
        let text = "\(error)"
        if let known = Self.wordsOfTLS.first(where: { $0.names.contains { text.contains($0) } }) { return known.text }
        // The reason in a line such as `error:1000008a:SSL routines:OPENSSL_internal:DECRYPTION_FAILED at …`.
        guard let start = text.firstRange(of: "OPENSSL_internal:") else { return "the peer broke off" }
        let reason = text[start.upperBound...].prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        return reason.lowercased().replacing("_", with: " ")
    }
}
