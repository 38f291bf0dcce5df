import Glibc
import NIOCore
import NIOPosix
import NIOSSL
import Testing

@testable import CastTransport

/// Failures of the network in words for people: no names of types, no numbers of libraries.
@Suite(.timeLimit(.minutes(1))) struct NetworkErrorTextTests {
    @Test func namesThatAreNotFound() async throws {
        let error = await #expect(throws: (any Error).self) {
            try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(host: "nowhere.invalid", port: 8009).get()
        }
        #expect(TransportError.text(of: try #require(error)) == "the name 'nowhere.invalid' is not found")
        let unknown = #expect(throws: (any Error).self) {
            try SocketAddress.makeAddressResolvingHost("a.invalid", port: 1)
        }
        #expect(TransportError.text(of: try #require(unknown)) == "the name 'a.invalid' is not found")
    }

    @Test func theSystemsErrorsAndTimes() {
        let refused = IOError(errnoCode: ECONNREFUSED, reason: "connect(descriptor:addr:size:)")
        #expect(TransportError.text(of: refused) == "Connection refused")
        #expect(TransportError.text(of: ChannelError.connectTimeout(.seconds(1))) == "no answer in time")
        #expect(TransportError.text(of: CancellationError()) == "it was given up")
        let missing = IOError(errnoCode: EADDRNOTAVAIL, reason: "bind")
        #expect(TransportError.text(ofListening: missing).contains("castway doctor"))
        #expect(TransportError.text(ofListening: refused) == "Connection refused")
    }

    @Test(arguments: [
        (
            NIOSSLError.handshakeFailed(.sslError([.eofDuringHandshake])),
            "the peer hung up before the handshake was done"
        ),
        (NIOSSLError.handshakeFailed(.sslError([])), "the peer broke off"),
        (NIOSSLError.unableToValidateCertificate, "the peer's certificate is not trusted"),
    ])
    func failuresOfTLS(_ error: NIOSSLError, _ text: String) {
        #expect(TransportError(error) == .tls(text))
        #expect(TransportError(error)?.description == "TLS failed: \(text)")
    }
}
