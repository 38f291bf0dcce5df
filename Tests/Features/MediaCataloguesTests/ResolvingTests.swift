import HTTPFetching
import Testing

@Suite struct ResolvingTests {
    @Test(arguments: [
        ("b.json", "https://h.example/a/b.json"), ("/b", "https://h.example/b"), ("?q", "https://h.example/a/x?q"),
        ("//o.example/b", "https://o.example/b"), ("http://o.example:81/b", "http://o.example:81/b"),
        ("b#part", "https://h.example/a/b"), ("#part", "https://h.example/a/x?k=v"), ("", "https://h.example/a/x?k=v"),
        ("a b", "https://h.example/a/a%20b"), ("\u{e4}", "https://h.example/a/%C3%A4"),
    ])
    func referencesAreRead(reference: String, expected: String) throws {
        let url = try OutboundURL("https://h.example/a/x?k=v")
        #expect(url.resolving(reference)?.text == expected)
    }

    @Test(arguments: [
        "file:///etc/passwd", "data:text/plain,x", "https://user@o.example/", "ftp://o.example/",
    ])
    func whatIsNoURLIsNone(reference: String) throws {
        let url = try OutboundURL("https://h.example/a/x")
        #expect(url.resolving(reference) == nil)
    }

    /// As browsers and receivers read the addresses that people write.
    @Test(arguments: [
        ("http://h.example/A film (1).mp4?t=a b", "http://h.example/A%20film%20(1).mp4?t=a%20b"),
        ("https://h.example/Z\u{fc}rich%20[1]|<2>.mp4", "https://h.example/Z%C3%BCrich%20%5B1%5D%7C%3C2%3E.mp4"),
        ("http://h.example/100%", "http://h.example/100%25"), ("http://[::1]:80/a b", "http://[::1]:80/a%20b"),
        ("http://h.example/a%20b", "http://h.example/a%20b"), ("http://h.example", "http://h.example"),
    ])
    func whatDoesNotBelongInAURLIsEncoded(address: String, expected: String) throws {
        #expect(try OutboundURL(encoding: address).text == expected)
    }

    @Test(arguments: ["http://a b/", "http:///x y", "x y", "", "http://\u{fc}.example/"])
    func aHostIsNotEncoded(address: String) {
        #expect(throws: OutboundURL.Malformed.self) { try OutboundURL(encoding: address) }
    }

    @Test func aHostAloneHasARoot() throws {
        let url = try OutboundURL("http://h.example:8080")
        #expect(url.resolving("b")?.text == "http://h.example:8080/b")
    }
}
