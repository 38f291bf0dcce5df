import CastWire
import Testing

extension TestSender {
    /// What plays at a transport: the session, the media session, and the player's time.
    func playback(at transport: EndpointID, requestID: Int) async throws -> (session: Int?, time: Double?) {
        try await self.send(["type": "GET_STATUS", "requestId": .number(requestID)], in: .media, to: transport)
        let status = try await self.answer(to: requestID)?.array("status")?.first?.objectValue
        return (status?.int("mediaSessionId"), status?["currentTime"]?.doubleValue)
    }

    /// The receiver's status as the device tells it now.
    func status(requestID: Int) async throws -> ReceiverStatus {
        try await self.send(["type": "GET_STATUS", "requestId": .number(requestID)], in: .receiver)
        return ReceiverStatus(json: try #require(try await self.answer(to: requestID)?.object("status")))
    }
}
