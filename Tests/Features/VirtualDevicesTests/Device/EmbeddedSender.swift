import CastTransport
import CastWire
import CastwayTestSupport
import NIOCore
import NIOEmbedded

@testable import VirtualDevices

/// A sender whose channel to a virtual device has neither TLS nor a socket.
final class EmbeddedSender {
    let connection: SenderConnection
    private let channel: EmbeddedChannel

    init(on loop: EmbeddedEventLoop, device: VirtualDevice, admission: ConnectionAdmission? = nil) throws {
        self.channel = EmbeddedChannel(loop: loop)
        self.connection = device.makeSender(from: "192.0.2.7", admission: admission)
        let pipeline = CastPipeline(
            role: .receiver, heartbeat: .init(interval: .seconds(5), timeout: .seconds(20)),
            handshakeTimeout: .seconds(5))
        try pipeline.configure(self.channel, delegate: self.connection, admission: admission)
        self.channel.connect(to: try SocketAddress(ipAddress: "192.0.2.7", port: 4711), promise: nil)
        loop.run()
    }

    var isOpen: Bool { self.channel.isActive }

    /// Says something; all of it is read at once.
    func say(_ messages: CastMessage...) throws {
        try self.channel.writeInbound(CastMessage.frames(messages))
    }

    /// Sends bytes that need not be messages.
    func send(_ bytes: [UInt8]) throws {
        try self.channel.writeInbound(ByteBuffer(bytes: bytes))
        self.channel.embeddedEventLoop.run()
    }

    func hangUp() {
        self.channel.close(promise: nil)
        self.channel.embeddedEventLoop.run()
    }

    /// What has left for the sender since the last time.
    func heard() throws -> [CastMessage] {
        var messages: [CastMessage] = []
        while var buffer = try self.channel.readOutbound(as: ByteBuffer.self) {
            var decoder = CastFrameDecoder()
            while let message = try decoder.decode(buffer: &buffer) { messages.append(message) }
        }
        return messages
    }
}
