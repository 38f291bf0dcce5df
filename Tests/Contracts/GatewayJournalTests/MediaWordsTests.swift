import CastWire
import GatewayCore
import Testing

@testable import GatewayJournal

/// Events say in the catalogue's words what receivers say in theirs.
@Suite struct MediaWordsTests {
    private static let session = CastSessionFacts(number: 3, device: "wall", appID: "CC1AD845", state: .connected)

    @Test(arguments: [
        ("CANCELLED", "cancelled"), ("INTERRUPTED", "interrupted"), ("FINISHED", "finished"), ("ERROR", "error"),
        ("OF_ITS_OWN", "of_its_own"),
    ])
    func theEndOfAMediaSessionIsInTheWordsOfOperations(wire: String, word: String) {
        let event = GatewayEvent.castMedia(Self.session, .ended(mediaSessionID: 1, reason: wire))
        #expect(event.content.data.string("reason") == word)
        let silent = GatewayEvent.castMedia(Self.session, .ended(mediaSessionID: 1, reason: nil))
        #expect(silent.content.data["reason"] == nil)
    }
}
