import CastWire

extension CastMessage {
    /// A device's status, told to all or as an answer.
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
