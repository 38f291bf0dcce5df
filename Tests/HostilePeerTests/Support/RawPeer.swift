import CastTransport
import CastWire
import CastwayTestSupport
import Glibc
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS

/// A peer that may say anything, with TLS or without, from an address of its own.
final class RawPeer {
    /// Where those who mean harm come from; the others use 127.0.0.1.
    static let hostileAddress = "127.0.0.2"

    private let channel: any Channel
    private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private var decoder = CastFrameDecoder()
    private var received = ByteBuffer()

    private init(
        channel: any Channel, inbound: NIOAsyncChannelInboundStream<ByteBuffer>,
        outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) {
        self.channel = channel
        self.inbound = inbound.makeAsyncIterator()
        self.outbound = outbound
    }

    /// Connects, runs the body, and hangs up.
    /// - Parameter tls: false to stay at TCP; otherwise the body begins when TLS stands.
    static func connect<Result>(
        to port: Int, from address: String = hostileAddress, tls: Bool = true,
        isolation: isolated (any Actor)? = #isolation, body: (RawPeer) async throws -> Result
    ) async throws -> Result {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        let context = try NIOSSLContext(configuration: configuration)
        let (wrapped, ready) = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(to: SocketAddress(ipAddress: address, port: 0))
            .channelOption(.socketOption(.so_rcvbuf), value: 65_536)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let ready = channel.eventLoop.makePromise(of: Void.self)
                    if tls {
                        try channel.pipeline.syncOperations.addHandlers([
                            NIOSSLClientHandler(context: context, serverHostname: nil), ReadyHandler(promise: ready),
                        ])
                    } else {
                        ready.succeed()
                    }
                    let wrapped = try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                    return (wrapped, ready.futureResult)
                }
            }
        return try await wrapped.executeThenClose { inbound, outbound in
            try await ready.get()
            return try await body(RawPeer(channel: wrapped.channel, inbound: inbound, outbound: outbound))
        }
    }

    /// Writes bytes as they are.
    func send(raw bytes: ByteBuffer) async throws {
        try await self.outbound.write(bytes)
    }

    /// Writes bytes as they are; it does not matter if the gateway has closed meanwhile.
    func sendRegardless(_ bytes: ByteBuffer) async {
        try? await self.outbound.write(bytes)
    }

    /// Says one byte after the other until the connection ends.
    func drip() {
        let channel = self.channel
        let drops = channel.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: .milliseconds(5)) { _ in
            channel.writeAndFlush(ByteBuffer(string: "x"), promise: nil)
        }
        channel.closeFuture.whenComplete { _ in drops.cancel() }
    }

    /// What comes until the gateway closes.
    func readToEnd() async -> String {
        var text = ""
        while let bytes = await self.nextBytes() { text += String(buffer: bytes) }
        return text
    }

    /// Reads nothing from now on.
    func goDeaf() async throws {
        try await self.channel.setOption(.autoRead, value: false).get()
    }

    /// Says something with a JSON payload.
    func send(
        _ json: JSONObject, in namespace: Namespace = .receiver, to destination: EndpointID = .platformReceiver
    ) async throws {
        let message = CastMessage(source: .platformSender, destination: destination, namespace: namespace, json: json)
        try await self.send(raw: CastMessage.frames([message]))
    }

    /// The next message that the condition holds for; nil when the gateway closes before.
    func receive(where condition: (CastMessage) -> Bool = { _ in true }) async throws -> CastMessage? {
        while true {
            while let message = try self.decoder.decode(buffer: &self.received) {
                if condition(message) { return message }
            }
            guard var bytes = await self.nextBytes() else { return nil }
            self.received.writeBuffer(&bytes)
        }
    }

    /// The request id of the next answer that has one; nil when the gateway closes before.
    func nextAnswer() async throws -> (id: Int, type: String?)? {
        var found: (id: Int, type: String?)?
        _ = try await self.receive { message in
            guard let json = message.payload.jsonObject, let id = json.int("requestId"), id != 0 else { return false }
            found = (id, json.string("type"))
            return true
        }
        return found
    }

    /// The answer to one request.
    func answer(to request: JSONObject, id: Int, to destination: EndpointID = .platformReceiver) async throws
        -> JSONObject?
    {
        try await self.send(request, to: destination)
        return try await self.receive { $0.payload.jsonObject?.int("requestId") == id }?.payload.jsonObject
    }

    /// Opens the virtual connection to the platform.
    func connectPlatform() async throws {
        try await self.send(["type": "CONNECT"], in: .connection)
        _ = try await self.answer(to: ["type": "GET_STATUS", "requestId": 1], id: 1)
    }

    /// Waits until the gateway has closed the connection; what it still says is skipped.
    func closed() async {
        while await self.nextBytes() != nil {}
    }

    private func nextBytes() async -> ByteBuffer? {
        // However the gateway ends it, an end it is.
        (try? await self.inbound.next(isolation: nil)) ?? nil
    }
}

/// Succeeds when TLS stands, and fails when it never does.
private final class ReadyHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let promise: EventLoopPromise<Void>

    init(promise: EventLoopPromise<Void>) {
        self.promise = promise
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted(_) = event { self.promise.succeed() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.promise.fail(ChannelError.eof)
        context.fireChannelInactive()
    }
}
