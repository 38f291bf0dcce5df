import CastTransport
import CastWire
import CastwayTestSupport
import NIOCore
import NIOEmbedded

/// The device's end of the channel from the gateway.
final class DeviceEnd {
    private let channel: EmbeddedChannel

    init(_ channel: EmbeddedChannel) {
        self.channel = channel
    }

    var isOpen: Bool { self.channel.isActive }

    func send(_ messages: [CastMessage]) throws {
        try self.send(try CastMessage.frames(messages))
    }

    func send(_ bytes: ByteBuffer) throws {
        guard self.isOpen else { return }
        try self.channel.writeInbound(bytes)
        self.channel.embeddedEventLoop.run()
    }

    func hangUp() {
        self.channel.close(promise: nil)
        self.channel.embeddedEventLoop.run()
    }

    func toggleReading() {
        self.channel.isWritable.toggle()
        self.channel.pipeline.fireChannelWritabilityChanged()
        self.channel.embeddedEventLoop.run()
    }

    /// What has come from the gateway since the last time.
    func heard() throws -> [CastMessage] {
        var messages: [CastMessage] = []
        while var buffer = try self.channel.readOutbound(as: ByteBuffer.self) {
            var decoder = CastFrameDecoder()
            while let message = try decoder.decode(buffer: &buffer) { messages.append(message) }
        }
        return messages
    }
}
