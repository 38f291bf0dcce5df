import HTTPFetching
import Testing

@testable import MessageBridges

@Suite struct WebhookURLTests {
    @Test(arguments: [
        ("https://backend.example.com", "backend.example.com", 443), ("HTTPS://B.example/", "B.example", 443),
        ("http://b:8080/a/b?c=%20d&e", "b", 8080), ("https://[2001:db8::1]/x", "[2001:db8::1]", 443),
        ("https://[::1]:9443?x", "[::1]", 9443), ("http://10.0.0.1", "10.0.0.1", 80),
        ("https://a_b.local./", "a_b.local.", 443),
    ])
    func urlsAreRead(text: String, host: String, port: Int) throws {
        let url = try OutboundURL(text)
        #expect((url.host, url.port) == (host, port))
        #expect(url.isEncrypted == text.lowercased().hasPrefix("https"))
    }

    @Test(arguments: [
        "", "backend", "ftp://b/", "https:b", "https:///x", "https://u@b/", "https://u:p@b/", "https://b/#x",
        "https://b/ x", "https://b/\u{e4}", "https://\u{e4}/", "https://b:0/", "https://b:65536/", "https://b:/",
        "https://b:8x/", "https://[::1", "https://[fe80::1%25eth0]/", "https://[1.2.3.4]/", "https://[::1]x/",
        "https://b/%2", "https://b/%zz", "https://b\\@c/", "https://b/\\", "https://b%2ec/", "https://b/\"",
        "https://b\n/",
        "https://b/\r\nx: y",
    ])
    func whatCouldBeMisreadIsRefused(_ text: String) {
        #expect(throws: OutboundURL.Malformed.self) { try OutboundURL(text) }
    }

    @Test func whatIsShownHoldsNoToken() throws {
        let url = try OutboundURL("https://backend.example.com/hooks/T0KEN?key=S3CRET")
        #expect(url.shown == "https://backend.example.com:443")
    }
}
