package import NIOCore
import NIOSSL
import NIOTLS

/// What a listener presents to senders: one certificate, and the TLS machinery made from it.
package struct TLSServerContext: Sendable {
    /// The certificate's DER, which device authentication signs (protocol notes, 2.5).
    package let leaf: [UInt8]
    /// The last moment of the certificate's validity, in seconds since 1970.
    package let notAfter: Int64
    let context: NIOSSLContext

    /// What TLS 1.2 may use: a key exchange with forward secrecy only, so that what was recorded stays secret when the
    /// certificate's key becomes known. TLS 1.3 has nothing else.
    private static let cipherSuites = "ECDHE+AESGCM:ECDHE+CHACHA20:ECDHE+AES256:ECDHE+AES128:!aNULL:!eNULL:!MD5:!PSK"

    /// Prepares TLS 1.2 and 1.3 with this certificate and key; no client certificate is asked for.
    /// - Parameters:
    ///   - certificate: DER.
    ///   - privateKey: DER.
    ///   - notAfter: the last moment of the certificate's validity, in seconds since 1970, for the code that replaces it.
    /// - Throws: `NIOSSLError` when they are malformed or do not belong together.
    package init(certificate: [UInt8], privateKey: [UInt8], notAfter: Int64 = .max) throws {
        try self.init(
            chain: [try NIOSSLCertificate(bytes: certificate, format: .der)],
            privateKey: try NIOSSLPrivateKey(bytes: privateKey, format: .der), leaf: certificate, notAfter: notAfter)
    }

    /// Prepares TLS 1.2 and 1.3 with the certificates and the key of two PEM files.
    /// - Parameters:
    ///   - chain: the certificate to present, and behind it those between it and its root.
    ///   - privateKey: its private key, without a passphrase.
    /// - Throws: when they are malformed or do not belong together.
    package init(pemChain chain: [UInt8], privateKey: [UInt8]) throws {
        let certificates = try NIOSSLCertificate.fromPEMBytes(chain)
        guard let first = certificates.first else { throw NIOSSLError.failedToLoadCertificate }
        try self.init(
            chain: certificates, privateKey: try NIOSSLPrivateKey(bytes: privateKey, format: .pem) { $0("".utf8) },
            leaf: try first.toDERBytes(), notAfter: Int64(first.notValidAfter))
    }

    private init(
        chain: [NIOSSLCertificate], privateKey: NIOSSLPrivateKey, leaf: [UInt8], notAfter: Int64
    ) throws {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
        configuration.minimumTLSVersion = .tlsv12
        configuration.cipherSuites = Self.cipherSuites
        configuration.certificateVerification = .none
        configuration.renegotiationSupport = .none
        self.context = try NIOSSLContext(configuration: configuration)
        self.leaf = leaf
        self.notAfter = notAfter
    }

    func makeHandler() -> NIOSSLServerHandler {
        NIOSSLServerHandler(context: self.context)
    }

    /// Puts TLS at the end of a channel's pipeline, for a server that speaks something else than Cast.
    /// - Parameter timeout: how long the handshake may take; then the pipeline gets an error.
    /// - Throws: when the channel is closed already.
    package func install(in channel: any Channel, timeout: TimeAmount = .seconds(10)) throws {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(self.makeHandler(), name: CastPipeline.tlsHandlerName)
        try pipeline.addHandler(HandshakeTimeoutHandler(timeout: timeout))
    }
}

/// Gives a peer up that opens a connection and never finishes TLS.
final class HandshakeTimeoutHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any

    private let timeout: TimeAmount
    private let onFinished: (() -> Void)?
    private var timer: Scheduled<Void>?

    /// - Parameter onFinished: called once when TLS stands.
    init(timeout: TimeAmount, onFinished: (() -> Void)? = nil) {
        self.timeout = timeout
        self.onFinished = onFinished
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        self.timer = context.eventLoop.scheduleTask(in: self.timeout) {
            bound.value.fireErrorCaught(TransportError.handshakeTimedOut)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        context.fireUserInboundEventTriggered(event)
        if case TLSUserEvent.handshakeCompleted(_) = event {
            self.onFinished?()
            context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.timer?.cancel()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.timer?.cancel()
    }
}
