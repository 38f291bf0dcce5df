import Glibc
import NIOCore
import NIOPosix

/// One end of a plain TCP connection: bytes in, bytes out.
final class RawPeer {
    private var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>

    fileprivate init(
        _ inbound: NIOAsyncChannelInboundStream<ByteBuffer>, _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) {
        self.inbound = inbound.makeAsyncIterator()
        self.outbound = outbound
    }

    func send(_ bytes: [UInt8]) async throws {
        try await self.outbound.write(ByteBuffer(bytes: bytes))
    }

    /// Says that it has no more to say.
    func finish() {
        self.outbound.finish()
    }

    /// The next bytes; nil when the other end has no more, or has hung up.
    func receive() async throws -> [UInt8]? {
        do {
            return try await self.inbound.next(isolation: nil).map { Array($0.readableBytesView) }
        } catch let error as IOError where error.errnoCode == ECONNRESET {
            return nil
        }
    }

    /// So many bytes, or fewer when the other end has no more.
    func receive(_ count: Int) async throws -> [UInt8] {
        var all: [UInt8] = []
        while all.count < count, let more = try await self.receive() { all += more }
        return all
    }

    /// Everything up to the end.
    func receiveAll() async throws -> [UInt8] { try await self.receive(.max) }

    /// Connects, runs the body, and hangs up.
    static func connect<Result>(
        to port: Int, from address: String = "127.0.0.1", isolation: isolated (any Actor)? = #isolation,
        body: (RawPeer) async throws -> Result
    ) async throws -> Result {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .bind(to: SocketAddress(ipAddress: address, port: 0))
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture { try Self.wrap(channel) }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await body(RawPeer(inbound, outbound))
        }
    }

    /// Listens as long as the body runs.
    /// - Parameter serve: has each connection, one beside the other; the connection ends when it returns.
    static func listen(
        _ serve: @escaping @Sendable (RawPeer) async throws -> Void, body: (_ port: Int) async throws -> Void
    ) async throws {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 1024)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .bind(host: "127.0.0.1", port: 0) { channel in
                channel.eventLoop.makeCompletedFuture { try Self.wrap(channel) }
            }
        let port = server.channel.localAddress?.port ?? 0
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await withThrowingDiscardingTaskGroup { connections in
                    try await server.executeThenClose { inbound in
                        for try await connection in inbound {
                            connections.addTask {
                                // A connection that the test cuts is what the test wants.
                                try? await connection.executeThenClose { inbound, outbound in
                                    try await serve(RawPeer(inbound, outbound))
                                }
                            }
                        }
                    }
                }
            }
            try await body(port)
            group.cancelAll()
        }
    }

    private static func wrap(_ channel: any Channel) throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        try NIOAsyncChannel(
            wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
    }
}
