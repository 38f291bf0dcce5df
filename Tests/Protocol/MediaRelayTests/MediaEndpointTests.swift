import Glibc
import Testing

@testable import MediaRelay

@Suite struct MediaEndpointTests {
    @Test(arguments: [
        ("192.0.2.1", 80, "192.0.2.1:80"), ("::1", 0, "[::1]:0"), ("2001:db8::5", 65_535, "[2001:db8::5]:65535"),
        ("::ffff:192.0.2.1", 7, "192.0.2.1:7"), ("0.0.0.0", 1, "0.0.0.0:1"),
    ])
    func addressesAreRead(host: String, port: Int, text: String) throws {
        let endpoint = try #require(MediaEndpoint(host: host, port: port))
        #expect(endpoint.description == text && Int(endpoint.port) == port)
        // And as the system writes them.
        let again = endpoint.withSocketAddress { address, _ in MediaEndpoint(address) }
        #expect(again == endpoint)
    }

    @Test(arguments: [
        ("example.com", 80), ("", 80), ("192.0.2", 80), ("192.0.2.1", -1), ("::1", 65_536), ("fe80::1%lo", 1),
    ])
    func whatIsNoneIsRefused(host: String, port: Int) {
        #expect(MediaEndpoint(host: host, port: port) == nil)
    }

    @Test func aMappedAddressIsTheIPv4Address() {
        #expect(MediaEndpoint(host: "::ffff:192.0.2.1", port: 7) == MediaEndpoint(host: "192.0.2.1", port: 7))
        #expect(MediaEndpoint(host: "::ffff:192.0.2.1", port: 7)?.isIPv6 == false)
    }

    @Test func portsMatterButNotToTheHost() throws {
        let (one, other) = (MediaEndpoint(host: "::1", port: 1), MediaEndpoint(host: "::1", port: 2))
        let (first, second) = (try #require(one), try #require(other))
        #expect(first != second && first.hasAddress(of: second) && first.at(port: 2) == second)
    }

    @Test func theInterfaceMattersToLinkLocalAddressesAlone() throws {
        func endpoint(_ host: String, scope: UInt32) -> MediaEndpoint? {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_scope_id = scope
            inet_pton(AF_INET6, host, &address.sin6_addr)
            return withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { MediaEndpoint($0) }
            }
        }
        #expect(endpoint("fe80::1", scope: 1) != endpoint("fe80::1", scope: 2))
        #expect(endpoint("2001:db8::1", scope: 1) == endpoint("2001:db8::1", scope: 2))
    }

    @Test func otherFamiliesAreNoAddress() {
        var address = sockaddr()
        address.sa_family = sa_family_t(AF_UNIX)
        #expect(MediaEndpoint(&address) == nil)
    }
}
