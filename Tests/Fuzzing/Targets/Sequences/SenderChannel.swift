import CastTransport
import CastWire
import CastwayTestSupport
import NIOCore
import NIOEmbedded

@testable import VirtualDevices

/// One sender's channel to a virtual device, without TLS and without a socket.
final class SenderChannel {
    let connection: SenderConnection
    private let channel: EmbeddedChannel

    static let pipeline = CastPipeline(
        role: .receiver, heartbeat: .init(interval: .seconds(5), timeout: .seconds(20)), handshakeTimeout: .seconds(5))

    init(to device: VirtualDevice, on loop: EmbeddedEventLoop, number: Int) throws {
        self.channel = EmbeddedChannel(loop: loop)
        self.connection = device.makeSender()
        try Self.pipeline.configure(self.channel, delegate: self.connection)
        self.channel.connect(to: try SocketAddress(ipAddress: "192.0.2.\(1 + number % 8)", port: 4711), promise: nil)
        loop.run()
    }

    var isOpen: Bool { self.channel.isActive }

    /// Sends frames that are read at once, or in pieces of some length.
    func send(_ messages: [CastMessage], pieces length: Int? = nil) throws {
        var bytes = try CastMessage.frames(messages)
        guard let length else { return try self.send(bytes) }
        while let piece = bytes.readSlice(length: min(length, bytes.readableBytes)), piece.readableBytes > 0 {
            try self.send(piece)
        }
    }

    /// Sends bytes that need not be messages.
    func send(_ bytes: ByteBuffer) throws {
        guard self.isOpen else { return }
        try self.channel.writeInbound(bytes)
        self.channel.embeddedEventLoop.run()
    }

    func hangUp() {
        self.channel.close(promise: nil)
        self.channel.embeddedEventLoop.run()
    }

    /// The sender begins or ceases to take what it is sent.
    func toggleReading() {
        self.channel.isWritable.toggle()
        self.channel.pipeline.fireChannelWritabilityChanged()
        self.channel.embeddedEventLoop.run()
    }

    /// What has left for the sender since the last time.
    func heard() throws -> [CastMessage] {
        var messages: [CastMessage] = []
        while var buffer = try self.channel.readOutbound(as: ByteBuffer.self) {
            var decoder = CastFrameDecoder()
            while let message = try decoder.decode(buffer: &buffer) { messages.append(message) }
            try Violation.unless(buffer.readableBytes == 0, "half a frame left for \(self.connection.id)")
        }
        return messages
    }
}
