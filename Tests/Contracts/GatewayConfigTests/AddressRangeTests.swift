import GatewayConfig
import Testing

/// Addresses and ranges of them.
struct AddressRangeTests {
    @Test(arguments: [
        ("10.20.0.0/16", "10.20.255.1", true), ("10.20.0.0/16", "10.21.0.1", false),
        ("10.20.0.0/16", "::ffff:10.20.3.4", true), ("10.20.0.0/16", "::ffff:a14:304", true),
        ("10.20.0.0/16", "::10.20.3.4", false), ("0.0.0.0/0", "255.255.255.255", true), ("0.0.0.0/0", "::1", false),
        ("192.0.2.7", "192.0.2.7", true), ("192.0.2.7", "192.0.2.8", false), ("10.0.0.0/9", "10.127.0.0", true),
        ("10.0.0.0/9", "10.128.0.0", false), ("fd00::/8", "fdff::1", true), ("fd00::/8", "fe00::1", false),
        ("fe80::/10", "fe80::1%eth0", true), ("::/0", "2001:db8::", true), ("::1", "0:0:0:0:0:0:0:1", true),
        ("2001:db8::/33", "2001:db8:7fff::", true), ("2001:db8::/33", "2001:db8:8000::", false),
        ("10.0.0.0/8", "not an address", false), ("10.0.0.0/8", "", false),
    ])
    func contains(_ range: String, _ address: String, _ expected: Bool) throws {
        #expect(try #require(AddressRange(range)).contains(address) == expected)
    }

    @Test(arguments: [
        "", "/", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/08", "10.0.0.1/8", "10.0.0", "10.0.0.0.0",
        "256.0.0.0",
        "01.0.0.0", "1.2.3.4/1/2", "::/129", ":::", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "12345::", "g::",
        "1:2:3:4:5:6:7::8", "1.2.3.4::", "::1.2.3", "::1.2.3.4:5", ":1:2:3:4:5:6:7", "1:", "+1.0.0.0", "１.0.0.0", "::%",
    ])
    func refuses(_ text: String) {
        #expect(AddressRange(text) == nil)
    }

    @Test(arguments: [
        ("::", "::"), ("0:0:0:0:0:0:0:1", "::1"), ("2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
        ("1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"), ("fe80::%lo", "fe80::"), ("::ffff:1.2.3.4", "::ffff:102:304"),
        ("1:2:3:4:5:6::", "1:2:3:4:5:6::"), ("127.0.0.1", "127.0.0.1"),
    ])
    func shortForm(_ text: String, _ expected: String) {
        #expect(IPAddress(text)?.description == expected)
    }

    @Test(arguments: [
        ("a*c", "abbbc", true), ("a*c", "ac", true), ("a*c", "ab", false), ("*", "", true), ("?", "", false),
        ("?", "é", true), ("**a", "bba", true), ("*a*b*", "xxaxxbxx", true), ("*a*b*", "xxbxxa", false),
        ("", "", true), ("", "a", false), ("a", "A", false), ("*.example.*", "www.example.org", true),
    ])
    func globs(_ pattern: String, _ text: String, _ expected: Bool) {
        #expect(Glob(pattern).matches(text) == expected)
    }

    @Test func manyStarsStayCheap() {
        let text = String(repeating: "a", count: 5000)
        #expect(!Glob(String(repeating: "a*", count: 100) + "b").matches(text))
    }

    @Test func addressesPrintAsTheyAreWritten() {
        #expect(ListenAddress(host: "::1", port: 8009).description == "[::1]:8009")
        #expect(ListenAddress(host: "0.0.0.0", port: 0).description == "0.0.0.0:0")
        #expect(DialAddress(host: "tv.lan").description == "tv.lan:8009")
        #expect(DialAddress(host: "fd00::1", port: 1).description == "[fd00::1]:1")
    }
}
