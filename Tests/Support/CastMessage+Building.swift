package import CastWire
package import NIOCore

extension CastMessage {
    /// The opening of a virtual connection.
    package static func connect(
        _ source: EndpointID, to destination: EndpointID = .platformReceiver, _ json: JSONObject = ["type": "CONNECT"]
    ) -> CastMessage {
        CastMessage(source: source, destination: destination, namespace: .connection, json: json)
    }

    /// The end of a virtual connection.
    package static func close(_ source: EndpointID, to destination: EndpointID = .platformReceiver) -> CastMessage {
        CastMessage(source: source, destination: destination, namespace: .connection, json: ["type": "CLOSE"])
    }

    /// A request without parameters.
    package static func request(
        _ type: String, id: Int, from source: EndpointID = "sender-0", to destination: EndpointID = .platformReceiver,
        in namespace: Namespace = .receiver
    ) -> CastMessage {
        CastMessage(
            source: source, destination: destination, namespace: namespace,
            json: ["type": .string(type), "requestId": .number(id)])
    }

    /// The message as it stands on the wire.
    package func frame() throws -> ByteBuffer {
        try Self.frames([self])
    }

    /// Messages as they stand on the wire.
    package static func frames(_ messages: [CastMessage]) throws -> ByteBuffer {
        var buffer = ByteBuffer()
        for message in messages { try message.serializeFrame(into: &buffer) }
        return buffer
    }
}
