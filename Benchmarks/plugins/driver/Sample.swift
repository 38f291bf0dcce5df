import CastWire
import NIOCore

/// What is sent.
enum Sample {
    static let bytes = ByteBuffer(string: Self.payload)
    static let namespace: Namespace = "urn:x-cast:com.example.bench"

    /// 560 bytes of JSON.
    static let payload: String = {
        let head = #"{"type":"BENCH","requestId":1,"text":""#
        return head + String(repeating: "x", count: 560 - head.utf8.count - 2) + "\"}"
    }()
}
