import NIOCore

/// A message of ``Namespace/heartbeat`` (protocol notes, 4).
public enum HeartbeatPayload: Hashable, Sendable {
    /// The question whether the other end lives.
    case ping
    /// Its answer.
    case pong

    /// Recognises a payload without building JSON: by its type, else by the word anywhere in the text, as peers do.
    public init?(_ payload: CastMessage.Payload) {
        guard case .text(let buffer) = payload else { return nil }
        switch PayloadSummary(peeking: buffer).type {
        case "PING": self = .ping
        case "PONG": self = .pong
        default:
            guard let kind = Self.firstWord(in: buffer.readableBytesUInt8Span) else { return nil }
            self = kind
        }
    }

    /// The payload, ready-made; its bytes are shared by all that send it.
    public var payload: CastMessage.Payload {
        switch self {
        case .ping: Self.pingPayload
        case .pong: Self.pongPayload
        }
    }

    private static let pingPayload = CastMessage.Payload.text(#"{"type":"PING"}"#)
    private static let pongPayload = CastMessage.Payload.text(#"{"type":"PONG"}"#)

    private static func firstWord(in bytes: Span<UInt8>) -> HeartbeatPayload? {
        var index = 0
        while index + 4 <= bytes.count {
            if bytes[index] == UInt8(ascii: "P"), bytes[index + 2] == UInt8(ascii: "N"),
                bytes[index + 3] == UInt8(ascii: "G")
            {
                if bytes[index + 1] == UInt8(ascii: "I") { return .ping }
                if bytes[index + 1] == UInt8(ascii: "O") { return .pong }
            }
            index += 1
        }
        return nil
    }
}
