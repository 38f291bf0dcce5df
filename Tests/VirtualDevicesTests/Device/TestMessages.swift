import CastTransport
import CastWire
import NIOCore

extension CastMessage {
    static func connect(
        _ source: EndpointID, to destination: EndpointID = .platformReceiver, _ json: JSONObject = ["type": "CONNECT"]
    ) -> CastMessage {
        CastMessage(source: source, destination: destination, namespace: .connection, json: json)
    }

    static func close(_ source: EndpointID, to destination: EndpointID = .platformReceiver) -> CastMessage {
        CastMessage(source: source, destination: destination, namespace: .connection, json: ["type": "CLOSE"])
    }

    static func request(
        _ type: String, id: Int, from source: EndpointID = "sender-0", to destination: EndpointID = .platformReceiver,
        in namespace: Namespace = .receiver
    ) -> CastMessage {
        CastMessage(
            source: source, destination: destination, namespace: namespace,
            json: ["type": .string(type), "requestId": .number(id)])
    }

    /// Messages as they stand on the wire.
    static func frames(_ messages: [CastMessage]) throws -> ByteBuffer {
        var buffer = ByteBuffer()
        for message in messages { try message.serializeFrame(into: &buffer) }
        return buffer
    }
}
