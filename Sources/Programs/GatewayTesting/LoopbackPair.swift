import NIOCore
public import NIOEmbedded

/// Two embedded channels on one loop; what one writes the other reads.
public final class LoopbackPair {
    /// The loop of both.
    public let loop = EmbeddedEventLoop()
    /// One end.
    public let near: EmbeddedChannel
    /// The other end.
    public let far: EmbeddedChannel

    /// Makes two channels that are not connected yet; add handlers, then call ``connect()``.
    public init() {
        self.near = EmbeddedChannel(loop: self.loop)
        self.far = EmbeddedChannel(loop: self.loop)
    }

    /// Makes both channels active.
    public func connect() throws {
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: 8009)
        self.near.connect(to: address, promise: nil)
        self.far.connect(to: address, promise: nil)
        self.loop.run()
    }

    /// Carries bytes both ways until neither end has anything to say.
    public func exchange() throws {
        var moved = true
        while moved {
            moved = false
            self.loop.run()
            while let bytes = try self.near.readOutbound(as: ByteBuffer.self) {
                try self.far.writeInbound(bytes)
                moved = true
            }
            while let bytes = try self.far.readOutbound(as: ByteBuffer.self) {
                try self.near.writeInbound(bytes)
                moved = true
            }
        }
    }
}
