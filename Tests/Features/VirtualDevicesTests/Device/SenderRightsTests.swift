import CastWire
import CastwayTestSupport
import GatewayConfig
import GatewayCore
import Synchronization
import Testing

@testable import VirtualDevices

/// Who may connect to a virtual device that asks for a join code.
@Suite struct SenderRightsTests {
    /// Addresses with a right to one device, and what is told of apps.
    private final class Rights: SenderRights {
        let joins = Mutex<[String]>([])

        func mayConnect(_ address: String, to device: String) -> Bool { address == "192.0.2.7" && device == "hall" }

        func joined(_ session: String, on device: String, from address: String) {
            self.joins.withLock { $0.append("\(session) \(device) \(address)") }
        }
    }

    @Test func anAddressNeedsToBeAllowedAndACodeWhereOneIsAskedFor() throws {
        let rights = Rights()
        var settings = VirtualDeviceSettings(name: "hall", listen: ListenAddress(host: "127.0.0.1", port: 0))
        #expect(settings.obstacle(for: "192.0.2.8", rights) == nil)
        settings.join = .required
        #expect(settings.obstacle(for: "192.0.2.7", rights) == nil)
        #expect(settings.obstacle(for: "192.0.2.8", rights) == "the address has redeemed no join code")
        settings.allowedSenders = [try #require(AddressRange("10.0.0.0/8"))]
        #expect(settings.obstacle(for: "192.0.2.7", rights) == "the address is not in senders.allow")
        settings.allowedSenders = []
        settings.name = "office"
        #expect(settings.obstacle(for: "192.0.2.7", rights) != nil)
        #expect(settings.obstacle(for: "192.0.2.7", NoSenderRights()) != nil)
    }

    /// The connection was let in, and its right was over before TLS stood.
    @Test func aHandshakeThatOutlastsItsGuestEndsInNothing() throws {
        var reason: String?
        let bench = try DeviceBench(obstacle: { _ in reason })
        let first = try bench.connect()
        #expect(first.isOpen && bench.device.senders.count == 1)
        reason = "the address has redeemed no join code"
        let late = try bench.connect()
        #expect(!late.isOpen && first.isOpen && bench.device.senders.count == 1)
    }

    @Test func sendersThatLoseTheirRightAreHungUp() throws {
        var refused: Set<String> = []
        let bench = try DeviceBench(obstacle: { refused.contains($0) ? "no" : nil })
        let sender = try bench.connect()
        bench.device.closeSendersWithoutRight()
        #expect(sender.isOpen)
        refused = ["192.0.2.7"]
        bench.device.closeSendersWithoutRight()
        #expect(!sender.isOpen && bench.device.senders.count == 0)
    }

    @Test func theAppsThatASenderJoinsAreTold() throws {
        let rights = Rights()
        let bench = try DeviceBench(rights: rights)
        bench.target.sessions = [
            SessionFacts(
                appID: "ABCD1234", sessionID: "s-1", transportID: "web-1", displayName: "Quiz", namespaces: [])
        ]
        _ = try bench.connect(
            .connect("sender-0"),
            .request("CONNECT", id: 0, from: "sender-0", to: "web-1", in: .connection))
        #expect(rights.joins.withLock { $0 } == ["s-1 test 192.0.2.7"])
    }
}
