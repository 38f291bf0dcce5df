import CastWire
import NIOCore
import SwiftProtobuf

/// Bytes to messages and back, by Castway and by SwiftProtobuf.
enum CodecCases {
    static func all(_ payload: SamplePayload) throws -> [Measurement] {
        let message = payload.message
        var body = ByteBuffer()
        message.serialize(into: &body)
        let bytes = Array(body.readableBytesView)
        let oracle = try OracleCastMessage(serializedBytes: bytes)
        guard case .text(let text) = message.payload else { return [] }
        let destination: EndpointID = "sender-cw17"
        return [
            Measurement("decode", payload) { [body] in
                try CastMessage(parsing: body).destination.rawValue.utf8.count
            },
            Measurement("decode, SwiftProtobuf", payload) {
                try OracleCastMessage(serializedBytes: bytes).destinationID.utf8.count
            },
            Measurement("encode", payload) {
                var frame = ByteBuffer()
                try message.serializeFrame(into: &frame)
                return frame.readableBytes
            },
            Measurement("encode, SwiftProtobuf", payload) {
                let frame: [UInt8] = try oracle.serializedBytes()
                return frame.count
            },
            Measurement("decode, readdress, encode", payload) { [body] in
                var read = try CastMessage(parsing: body)
                read.destination = destination
                var frame = ByteBuffer()
                try read.serializeFrame(into: &frame)
                return frame.readableBytes
            },
            Measurement("decode, readdress, encode, SwiftProtobuf", payload) {
                var read = try OracleCastMessage(serializedBytes: bytes)
                read.destinationID = "sender-cw17"
                let frame: [UInt8] = try read.serializedBytes()
                return frame.count
            },
            Measurement("peek at type and requestId", payload) {
                PayloadSummary(peeking: text).type?.utf8.count ?? 0
            },
        ]
    }
}
