import CastTransport
import CastWire
import CastwayTestSupport
import GatewayTesting
import NIOCore
import NIOEmbedded

/// A Cast channel without TLS on a loop whose time stands still.
final class PlainChannel {
    let channel = EmbeddedChannel()
    let delegate = RecordingDelegate()
    let connection: CastConnection

    init(role: Heartbeat.Role = .receiver, interval: TimeAmount = .seconds(5), timeout: TimeAmount = .seconds(15))
        throws
    {
        let pipeline = CastPipeline(
            role: role, heartbeat: Heartbeat.Settings(interval: interval, timeout: timeout),
            handshakeTimeout: .seconds(10))
        self.connection = try pipeline.configure(self.channel, delegate: self.delegate)
    }

    func connect() throws {
        self.channel.connect(to: try SocketAddress(ipAddress: "192.0.2.7", port: 8009), promise: nil)
        self.channel.embeddedEventLoop.run()
    }

    func read(_ messages: CastMessage...) throws {
        try self.channel.writeInbound(try CastMessage.frames(messages))
    }

    /// The pieces that left since the last time.
    func pieces() throws -> [ByteBuffer] {
        var pieces: [ByteBuffer] = []
        while let piece = try self.channel.readOutbound(as: ByteBuffer.self) { pieces.append(piece) }
        return pieces
    }

    /// The messages that left since the last time.
    func sent() throws -> [CastMessage] {
        try self.pieces().flatMap { try CastMessage.read(all: $0) }
    }

    func advance(by time: TimeAmount) {
        self.channel.embeddedEventLoop.advanceTime(by: time)
    }
}
