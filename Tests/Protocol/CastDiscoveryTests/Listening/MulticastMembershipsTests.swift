import Glibc
import Testing

@testable import CastDiscovery

@Suite struct MulticastMembershipsTests {
    private typealias Selection = MulticastMemberships.Selection

    private let usual = UInt32(IFF_UP) | UInt32(IFF_MULTICAST)

    @Test func whatDoesNotFitIsAProblem() {
        #expect(MulticastMemberships(needed: 20, possible: 20).problem == nil)
        let problem = MulticastMemberships(needed: 24, possible: 20).problem
        #expect(problem?.contains("20 of 24") == true)
        #expect(MulticastMemberships.advice.contains("net.ipv4.igmp_max_memberships"))
    }

    @Test func theMachineIsCounted() {
        let current = MulticastMemberships.current
        #expect((0...current.needed).contains(current.possible))
    }

    @Test func theDaemonUsesWhatIsUpAndKnowsMulticast() {
        let selection = Selection("")
        #expect(selection.contains("eth0", flags: self.usual))
        #expect(selection.contains("lo", flags: UInt32(IFF_UP) | UInt32(IFF_LOOPBACK)))
        #expect(!selection.contains("eth0", flags: UInt32(IFF_MULTICAST)))
        #expect(!selection.contains("eth0", flags: UInt32(IFF_UP)))
        #expect(!selection.contains("tun0", flags: self.usual | UInt32(IFF_POINTOPOINT)))
    }

    @Test func theDaemonUsesWhatItsFileNames() {
        let text = """
            [server]
            #deny-interfaces=eth1
            use-ipv4=yes
            allow-interfaces = eth0, eth1 ,tun0
            deny-interfaces=eth1
            allow-point-to-point=yes
            """
        let selection = Selection(text)
        #expect(selection.contains("eth0", flags: self.usual))
        #expect(!selection.contains("eth1", flags: self.usual) && !selection.contains("eth2", flags: self.usual))
        #expect(selection.contains("tun0", flags: self.usual | UInt32(IFF_POINTOPOINT)))
        #expect(!Selection("use-ipv4=no").contains("eth0", flags: self.usual))
    }
}
