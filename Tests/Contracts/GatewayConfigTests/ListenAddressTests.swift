import GatewayConfig
import Testing

/// Which listeners cannot be bound beside each other, and who is reached at an address.
@Suite struct ListenAddressTests {
    private static let machine = MachineAddresses(
        addresses: Set(["192.0.2.7", "fd00::7"].compactMap(IPAddress.init)),
        names: ["Gateway", "gateway.local"])

    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "127.0.0.2", false), ("0.0.0.0", "192.0.2.7", true),
        ("0.0.0.0", "::1", false), ("::", "127.0.0.1", true), ("::", "0.0.0.0", true), ("::", "fd00::7", true),
        ("0:0:0:0:0:0:0:0", "10.0.0.1", true), ("::ffff:127.0.0.1", "127.0.0.1", true),
        ("::ffff:0.0.0.0", "10.0.0.1", true), ("localhost", "127.0.0.1", true), ("LocalHost", "::1", true),
        ("localhost", "127.0.0.2", false), ("localhost", "0.0.0.0", true), ("fe80::1%eth0", "fe80::1%eth1", false),
        ("fe80::1%eth0", "fe80::1", true), ("FD00::0007", "fd00::7", true), ("gateway", "GATEWAY", true),
        ("gateway", "127.0.0.1", false), ("gateway", "0.0.0.0", true),
    ])
    func listenersClash(_ first: String, _ second: String, _ clash: Bool) {
        let addresses = [first, second].map { ListenAddress(host: $0, port: 8009) }
        #expect(addresses[0].clashes(with: addresses[1]) == clash)
        #expect(addresses[1].clashes(with: addresses[0]) == clash)
        #expect(!addresses[0].clashes(with: ListenAddress(host: second, port: 8010)))
    }

    @Test func portZeroClashesWithNothing() {
        let address = ListenAddress(host: "0.0.0.0", port: 0)
        #expect(!address.clashes(with: address))
    }

    @Test(arguments: [
        ("0.0.0.0", "127.0.0.1", true), ("0.0.0.0", "127.9.9.9", true), ("0.0.0.0", "192.0.2.7", true),
        ("0.0.0.0", "192.0.2.8", false), ("0.0.0.0", "::1", false), ("::", "192.0.2.7", true), ("::", "fd00::7", true),
        ("::", "fd00::8", false), ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "127.0.0.2", false),
        ("127.0.0.1", "localhost", true), ("192.0.2.8", "192.0.2.8", true), ("0.0.0.0", "gateway", true),
        ("::", "GATEWAY.local", true), ("0.0.0.0", "other.local", false), ("other.local", "other.local", true),
        ("127.0.0.1", "0.0.0.0", true), ("::1", "::", true), ("127.0.0.1", "gateway", false),
        ("gateway", "192.0.2.7", true), ("127.0.0.1", "::ffff:127.0.0.1", true),
    ])
    func aListenerIsReached(_ listen: String, _ dialled: String, _ isReached: Bool) {
        let listener = ListenAddress(host: listen, port: 8009)
        #expect(listener.isReached(at: DialAddress(host: dialled), machine: Self.machine) == isReached)
        #expect(!listener.isReached(at: DialAddress(host: dialled, port: 8010), machine: Self.machine))
    }

    @Test func thisMachineKnowsItself() {
        let listener = ListenAddress(host: "0.0.0.0", port: 8009)
        #expect(listener.isReached(at: DialAddress(host: "127.0.0.1"), machine: .current))
        #expect(MachineAddresses.current.names.allSatisfy { $0 == $0.lowercased() })
    }
}
