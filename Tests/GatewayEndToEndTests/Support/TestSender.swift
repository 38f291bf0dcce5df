import CastTransport
import CastWire
import Glibc
import NIOCore
import NIOPosix
import NIOSSL

/// A sender made of a bare TLS socket: it can say what no honest sender says, and sees every byte.
final class TestSender {
    /// The DER of the certificate that the gateway served on this connection.
    let leaf: [UInt8]
    private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private var decoder = CastFrameDecoder()
    private var received = ByteBuffer()

    private init(
        leaf: [UInt8], inbound: NIOAsyncChannelInboundStream<ByteBuffer>,
        outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) {
        self.leaf = leaf
        self.inbound = inbound.makeAsyncIterator()
        self.outbound = outbound
    }

    /// Connects, runs the body, and hangs up.
    /// - Parameter address: where it connects from: one of the loopback interface.
    static func connect<Result>(
        to port: Int, from address: String = "127.0.0.1", isolation: isolated (any Actor)? = #isolation,
        body: (TestSender) async throws -> Result
    ) async throws -> Result {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        let context = try NIOSSLContext(configuration: configuration)
        let (channel, leaf) = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(to: SocketAddress(ipAddress: address, port: 0))
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let leaf = channel.eventLoop.makePromise(of: [UInt8].self)
                    try channel.pipeline.syncOperations.addHandler(
                        NIOSSLClientHandler(context: context, serverHostname: nil))
                    try channel.pipeline.syncOperations.addHandler(LeafReader(promise: leaf))
                    let wrapped = try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel,
                        configuration: .init(isOutboundHalfClosureEnabled: true))
                    return (wrapped, leaf.futureResult)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await body(TestSender(leaf: try await leaf.get(), inbound: inbound, outbound: outbound))
        }
    }

    /// Says something.
    func send(_ message: CastMessage) async throws {
        var frame = ByteBuffer()
        try message.serializeFrame(into: &frame)
        try await self.outbound.write(frame)
    }

    /// Says something with a JSON payload.
    func send(
        _ json: JSONObject, in namespace: Namespace, from source: EndpointID = .platformSender,
        to destination: EndpointID = .platformReceiver
    ) async throws {
        try await self.send(
            CastMessage(source: source, destination: destination, namespace: namespace, json: json))
    }

    /// Writes bytes as they are.
    func send(raw bytes: ByteBuffer) async throws {
        try await self.outbound.write(bytes)
    }

    /// The next message that the condition holds for; nil when the gateway closes before. Others are skipped.
    func receive(where condition: (CastMessage) -> Bool = { _ in true }) async throws -> CastMessage? {
        while true {
            while let message = try self.decoder.decode(buffer: &self.received) {
                if condition(message) { return message }
            }
            guard var bytes = try await self.nextBytes() else { return nil }
            self.received.writeBuffer(&bytes)
        }
    }

    /// The JSON of the next message that answers this request.
    func answer(to requestID: Int) async throws -> JSONObject? {
        try await self.receive { PayloadSummary(peeking: $0.payload).requestID == RequestID(requestID) }?
            .payload.jsonObject
    }

    /// Waits until the gateway has closed the connection; what it still says is skipped.
    func closed() async throws {
        while try await self.nextBytes() != nil {}
    }

    private func nextBytes() async throws -> ByteBuffer? {
        do {
            return try await self.inbound.next(isolation: nil)
        } catch NIOSSLError.uncleanShutdown {
            return nil
        } catch let error as IOError where error.errnoCode == ECONNRESET {
            return nil
        }
    }
}
