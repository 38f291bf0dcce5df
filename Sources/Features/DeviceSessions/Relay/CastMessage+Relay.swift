import CastWire

extension CastMessage {
    var summary: PayloadSummary { PayloadSummary(peeking: self.payload) }

    func addressed(to destination: EndpointID) -> CastMessage {
        var message = self
        message.destination = destination
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
