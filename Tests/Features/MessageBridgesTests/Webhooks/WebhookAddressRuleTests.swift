import GatewayConfig
import HTTPFetching
import NIOCore
import Testing

@testable import MessageBridges

@Suite struct WebhookAddressRuleTests {
    private enum Verdict { case allowed, withPrivate, never }

    private func expect(_ text: String, _ verdict: Verdict, _ place: SourceLocation) throws {
        let address = try #require(IPAddress(text), sourceLocation: place)
        let strict = OutboundAddressRule(allowsPrivate: false).refusal(of: address)
        let open = OutboundAddressRule(allowsPrivate: true).refusal(of: address)
        #expect((strict == nil) == (verdict == .allowed), "\(text): \(strict ?? "")", sourceLocation: place)
        #expect((open == nil) == (verdict != .never), "\(text): \(open ?? "")", sourceLocation: place)
    }

    @Test(arguments: [
        "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
        "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.0.3.0", "192.167.255.255",
        "192.169.0.0", "198.17.255.255", "198.20.0.0", "198.51.99.255", "203.0.114.0", "223.255.255.255",
        "2606:4700::1111", "2001:4860:4860::8888", "2001:200::1", "2a00:1450::1", "3ffe::1",
        "::ffff:1.1.1.1", "::1.1.1.1", "::ffff:0:1.1.1.1", "64:ff9b::1.1.1.1", "2002:101:101::1",
    ])
    func addressesOfTheInternetAreAllowed(_ text: String) throws {
        try self.expect(text, .allowed, #_sourceLocation)
    }

    @Test(arguments: [
        "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.1", "127.255.255.255", "172.16.0.0",
        "172.31.255.255", "192.168.0.0", "192.168.255.255", "::1", "fc00::1", "fdff:ffff::1",
        "::ffff:10.0.0.1", "::ffff:127.0.0.1", "::10.0.0.1", "::ffff:0:192.168.1.1", "64:ff9b::10.0.0.1",
        "2002:a00:1::1", "2002:c0a8:101::",
        // Teredo: a server of the Internet, and behind it 10.0.0.1 with its bits inverted.
        "2001:0:101:101::f5ff:fffe",
    ])
    func localAddressesHaveToBeAllowed(_ text: String) throws {
        try self.expect(text, .withPrivate, #_sourceLocation)
    }

    @Test(arguments: [
        "0.0.0.0", "0.1.2.3", "169.254.0.1", "169.254.169.254", "169.254.255.255", "100.100.100.200", "168.63.129.16",
        "192.0.0.1", "192.0.0.192", "192.0.2.1", "192.88.99.1", "198.18.0.1", "198.19.255.255", "198.51.100.1",
        "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.254", "255.255.255.255",
        "::", "fe80::1", "febf::1", "fec0::1", "ff02::1", "fd00:ec2::254", "fd20:ce::254", "fd00:42::42",
        "2001:db8::1", "3fff::1", "3fff:fff::1", "100::1", "2001:2::1", "2001:10::1", "2001:20::1", "4000::1",
        "5f00::1",
        "1::1", "64:ff9b:1::1", "::ffff:169.254.169.254", "::169.254.169.254", "::ffff:0:169.254.169.254",
        "64:ff9b::169.254.169.254", "2002:a9fe:a9fe::1", "::ffff:0.0.0.0", "64:ff9b::224.0.0.1",
        // Teredo: 169.254.169.254 inverted, and as the server of it.
        "2001:0:101:101::5601:5601", "2001:0:a9fe:a9fe::fefe:fefe",
    ])
    func theseAreNeverConnectedTo(_ text: String) throws {
        try self.expect(text, .never, #_sourceLocation)
    }

    @Test(arguments: [
        ("http://2130706433/", "127.0.0.1"), ("http://0x7f000001/", "127.0.0.1"), ("http://0177.0.0.1/", "127.0.0.1"),
        ("http://127.1/", "127.0.0.1"), ("http://0xa9fea9fe/", "169.254.169.254"),
        ("http://169.254.43518/", "169.254.169.254"), ("http://[::ffff:a9fe:a9fe]/", "0:0:0:0:0:ffff:a9fe:a9fe"),
        ("http://10.0.0.1:8080/", "10.0.0.1"),
    ])
    func literalsAreReadInEveryForm(text: String, address: String) throws {
        let expected = try #require(IPAddress(address))
        #expect(HostResolver.addresses(ofLiteral: try OutboundURL(text)) == [expected])
    }

    @Test func namesAreNoLiterals() throws {
        #expect(HostResolver.addresses(ofLiteral: try OutboundURL("https://backend.example.com/")).isEmpty)
        #expect(HostResolver.addresses(ofLiteral: try OutboundURL("https://localhost/")).isEmpty)
    }

    private static func addresses(of host: String) async throws -> [IPAddress] {
        try await withCheckedContinuation { continuation in
            HostResolver.system.find(host, for: "test", before: .distantFuture) { continuation.resume(returning: $0) }
        }.get()
    }

    @Test func theSystemResolves() async throws {
        let addresses = try await Self.addresses(of: "localhost")
        #expect(addresses.contains { ["127.0.0.1", "::1"].contains($0.description) })
        await #expect(throws: HostResolver.NotFound.self) { try await Self.addresses(of: "no such host") }
    }
}
