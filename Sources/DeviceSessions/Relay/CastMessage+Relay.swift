import CastWire
import NIOCore

extension CastMessage {
    /// Type and request id, peeked.
    var summary: PayloadSummary { PayloadSummary(peeking: self.payload) }

    /// The same message for another end.
    func addressed(to destination: EndpointID) -> CastMessage {
        var message = self
        message.destination = destination
        return message
    }

    /// The same message in bytes of its own: as it came, it keeps alive the whole read that it came in.
    var detached: CastMessage {
        var message = self
        switch self.payload {
        case .text(let buffer): message.payload = .text(ByteBuffer(bytes: buffer.readableBytesView))
        case .binary(let buffer): message.payload = .binary(ByteBuffer(bytes: buffer.readableBytesView))
        }
        message.unknownFields = self.unknownFields.map { ByteBuffer(bytes: $0.readableBytesView) }
        return message
    }

    /// A CONNECT without the offer of protocol versions: the gateway has answered that itself.
    var withoutVersionOffer: CastMessage {
        guard var payload = ConnectionPayload(self.payload), payload.offeredVersions != nil else { return self }
        payload.json["protocolVersion"] = nil
        payload.json["protocolVersionList"] = nil
        var message = self
        message.payload = payload.payload
        return message
    }
}
