import CastTransport
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS

/// One HTTP request over a socket, with or without TLS.
enum PlainHTTP {
    struct Answer: Sendable {
        let head: String
        let body: String
        /// The certificate that was served, in DER; empty without TLS.
        let leaf: [UInt8]
    }

    static func get(_ path: String, port: Int, isSecured: Bool = false) async throws -> Answer {
        let (channel, collector) = try await Self.connect(port: port, isSecured: isSecured)
        let request = "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
        try await channel.writeAndFlush(ByteBuffer(string: request))
        let (text, leaf) = try await collector.get()
        let parts = text.split(separator: "\r\n\r\n", maxSplits: 1).map(String.init)
        return Answer(head: parts.first ?? "", body: parts.count > 1 ? parts[1] : "", leaf: leaf)
    }

    /// The certificate that a TLS port serves.
    static func leaf(port: Int) async throws -> [UInt8] {
        let (channel, collector) = try await Self.connect(port: port, isSecured: true)
        try await channel.writeAndFlush(ByteBuffer(bytes: [0xFF, 0xFF, 0xFF, 0xFF]))
        return try await collector.get().leaf
    }

    private static func connect(
        port: Int, isSecured: Bool
    ) async throws -> (channel: any Channel, collected: EventLoopFuture<(text: String, leaf: [UInt8])>) {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let promise = eventLoop.makePromise(of: (text: String, leaf: [UInt8]).self)
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        let context = try NIOSSLContext(configuration: configuration)
        let channel = try await ClientBootstrap(group: eventLoop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if isSecured {
                        try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: nil))
                    }
                    try pipeline.addHandler(Collector(promise: promise))
                }
            }
            .connect(host: "127.0.0.1", port: port)
            .flatMapError { error in
                promise.fail(error)
                return eventLoop.makeFailedFuture(error)
            }
            .get()
        return (channel, promise.futureResult)
    }

    /// Everything that comes, until the other end closes.
    private final class Collector: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let promise: EventLoopPromise<(text: String, leaf: [UInt8])>
        private var collected = ByteBuffer()
        private var leaf: [UInt8] = []

        init(promise: EventLoopPromise<(text: String, leaf: [UInt8])>) {
            self.promise = promise
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case TLSUserEvent.handshakeCompleted(_) = event {
                let handler = try? context.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self)
                self.leaf = (try? handler?.peerCertificate?.toDERBytes()) ?? []
            }
            context.fireUserInboundEventTriggered(event)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var buffer = Self.unwrapInboundIn(data)
            self.collected.writeBuffer(&buffer)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) {
            self.promise.succeed((String(buffer: self.collected), self.leaf))
        }
    }
}
