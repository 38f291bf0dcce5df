import CastTransport
import CastWire
import NIOCore

extension CastMessage {
    static let ping = CastMessage(
        source: "sender-0", destination: "receiver-0", namespace: .heartbeat, payload: .text(#"{"type":"PING"}"#))
    static let pong = CastMessage(
        source: "sender-0", destination: "receiver-0", namespace: .heartbeat, payload: .text(#"{"type":"PONG"}"#))
    static let challenge = CastMessage(
        source: "sender-0", destination: "receiver-0", namespace: .deviceAuth,
        payload: .binary(ByteBuffer(bytes: [10, 0])))

    static func read(all bytes: ByteBuffer) throws -> [CastMessage] {
        var bytes = bytes
        var decoder = CastFrameDecoder()
        var messages: [CastMessage] = []
        while let message = try decoder.decode(buffer: &bytes) { messages.append(message) }
        return messages
    }
}
