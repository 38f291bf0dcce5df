import NIOCore
import NIOPosix

/// The options of a splice's sockets: little memory for each, an end is read only when the splice asks for it, and half-closed
/// connections stay.
enum SpliceSockets {
    /// The kernel's buffer for an end that is not read, in bytes; it doubles the number.
    private static let kernelBuffer = 32 * 1024
    /// The bytes that may wait for an end before the other one is not read any more.
    private static let waterMark = ChannelOptions.Types.WriteBufferWaterMark(low: 4096, high: 16 * 1024)
    private static let receiveAllocator = AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 1024, maximum: 8192)

    /// Adds the options to a listener, for the channels that it accepts.
    static func set(on bootstrap: ServerBootstrap) -> ServerBootstrap {
        // A receive buffer has to be known before a connection is accepted: the window's scale follows from it.
        bootstrap.serverChannelOption(.socketOption(.so_rcvbuf), value: Self.kernelBuffer)
            .childChannelOption(.autoRead, value: false)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(.recvAllocator, value: Self.receiveAllocator)
            .childChannelOption(.writeBufferWaterMark, value: Self.waterMark)
            .childChannelOption(.socketOption(.so_keepalive), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
    }

    static func set(on bootstrap: ClientBootstrap) -> ClientBootstrap {
        bootstrap.channelOption(.socketOption(.so_rcvbuf), value: Self.kernelBuffer)
            .channelOption(.autoRead, value: false)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelOption(.recvAllocator, value: Self.receiveAllocator)
            .channelOption(.writeBufferWaterMark, value: Self.waterMark)
            .channelOption(.socketOption(.so_keepalive), value: 1)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
    }
}
