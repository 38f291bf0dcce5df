import CastClient
import CastWire
import Testing

extension RemoteApp {
    /// Loads a film with the message that every sender sends, and waits for the answer.
    func play(_ url: String) async throws {
        let answer = try await self.device.request(
            ["type": "LOAD", "media": ["contentId": .string(url), "contentType": "video/mp4"]], in: .media,
            to: self.transportID)
        #expect(PayloadSummary(peeking: answer.payload).type == "MEDIA_STATUS")
    }
}
