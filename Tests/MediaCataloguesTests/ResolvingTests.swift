import HTTPFetching
import Testing

@Suite struct ResolvingTests {
    @Test(arguments: [
        ("b.json", "https://h.example/a/b.json"), ("/b", "https://h.example/b"), ("?q", "https://h.example/a/x?q"),
        ("//o.example/b", "https://o.example/b"), ("http://o.example:81/b", "http://o.example:81/b"),
        ("b#part", "https://h.example/a/b"), ("#part", "https://h.example/a/x?k=v"), ("", "https://h.example/a/x?k=v"),
    ])
    func referencesAreRead(reference: String, expected: String) throws {
        let url = try OutboundURL("https://h.example/a/x?k=v")
        #expect(url.resolving(reference)?.text == expected)
    }

    @Test(arguments: [
        "file:///etc/passwd", "data:text/plain,x", "a b", "\u{e4}", "https://user@o.example/", "ftp://o.example/",
    ])
    func whatIsNoURLIsNone(reference: String) throws {
        let url = try OutboundURL("https://h.example/a/x")
        #expect(url.resolving(reference) == nil)
    }

    @Test func aHostAloneHasARoot() throws {
        let url = try OutboundURL("http://h.example:8080")
        #expect(url.resolving("b")?.text == "http://h.example:8080/b")
    }
}
