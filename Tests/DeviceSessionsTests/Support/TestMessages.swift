import CastWire
import GatewayCore

extension ReceiverStatus {
    /// Nothing runs.
    static let idle = ReceiverStatus(application: nil, volume: ReceiverVolume(level: 0.5, muted: false))

    /// The default media receiver runs.
    static let playing = ReceiverStatus(
        application: ReceiverApplication(
            appID: .defaultMediaReceiver, displayName: "Default Media Receiver", sessionID: "session-1",
            transportID: "web-1", namespaces: [.media]),
        volume: ReceiverVolume(level: 0.5, muted: false))
}

extension CastMessage {
    static func connect(_ source: EndpointID, to destination: EndpointID = .platformReceiver) -> CastMessage {
        CastMessage(
            source: source, destination: destination, namespace: .connection, json: ["type": "CONNECT", "connType": 0])
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

    static func status(_ status: ReceiverStatus, id: Int = 0, to destination: EndpointID = .broadcast) -> CastMessage {
        CastMessage(
            source: .platformReceiver, destination: destination, namespace: .receiver,
            payload: ReceiverStatusPayload(status, requestID: RequestID(id)).payload)
    }

    /// The payload's type.
    var type: String? { PayloadSummary(peeking: self.payload).type }
    /// The payload's request id.
    var requestID: RequestID? { PayloadSummary(peeking: self.payload).requestID }
}
