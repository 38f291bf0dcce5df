import CastWire
import Testing

extension TestSender {
    /// Opens the virtual connection to the platform and returns its status.
    func connectPlatform() async throws -> ReceiverStatus {
        try await self.send(["type": "CONNECT"], in: .connection)
        try await self.send(["type": "GET_STATUS", "requestId": 1], in: .receiver)
        return ReceiverStatus(json: try #require(try await self.answer(to: 1)?.object("status")))
    }

    /// Launches the default media receiver, connects to it and loads a film; returns where the app is.
    func launchAndLoad() async throws -> EndpointID {
        _ = try await self.connectPlatform()
        try await self.send(["type": "LAUNCH", "requestId": 2, "appId": "CC1AD845"], in: .receiver)
        let status = ReceiverStatus(json: try #require(try await self.answer(to: 2)?.object("status")))
        let transport = try #require(status.applications.first?.transportID)
        try await self.send(["type": "CONNECT"], in: .connection, to: transport)
        try await self.send(
            [
                "type": "LOAD", "requestId": 3,
                "media": ["contentId": "http://192.0.2.1/film.mp4", "contentType": "video/mp4", "duration": 60],
            ], in: .media, to: transport)
        #expect(try await self.answer(to: 3)?.string("type") == "MEDIA_STATUS")
        _ = try await self.receive { message in
            let status = message.payload.jsonObject?.array("status")?.first?.objectValue
            return status?.string("playerState") == "PLAYING"
        }
        return transport
    }
}
