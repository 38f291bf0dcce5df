import Testing

@testable import DeviceControl
@testable import FeatureContract

/// Sessions as links.
@Suite struct SessionLinkTests {
    @Test(arguments: ["wall", "real:wall", "Zürich & 1=2?", "a/b c#d%"]) func aLinkIsReadAsItWasGiven(_ device: String)
    {
        let link = SessionLink(device: DeviceReference(device), session: "5824f863-2c3b")
        #expect(SessionLink(link.text) == link)
    }

    @Test func otherLinksHaveTheSameParameters() {
        let link = SessionLink("https://example.com/watch?v=7&name=Living%20room&session=a-1#t=3")
        #expect(link?.device.text == "Living room" && link?.session == "a-1")
        #expect(SessionLink("x:?name=a&device=b&session=c")?.device.text == "b")
    }

    @Test(arguments: [
        "", "castway:session", "castway:session?device=wall", "castway:session?session=a", "x?device=&session=a",
        "x?device=a&session=%", "x?device=a&session=%FF", "x?device=a&device=b&session=c", "x?device=a%0A&session=c",
    ])
    func whatIsNoLinkIsNone(_ text: String) {
        #expect(SessionLink(text) == nil)
    }
}
