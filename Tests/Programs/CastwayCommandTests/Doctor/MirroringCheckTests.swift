import Passthrough
import Testing

@testable import castway

/// What `castway doctor` says of the socket and the rules for mirrored streams.
@Suite struct MirroringCheckTests {
    private static let rules = MirroringRules([.init(name: "room-12", address: "10.20.12.1")])
    private static let head = "   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt\n"
    private static let line = "  412: 0100007F:1F58 00000000:0000 07 00000000:00000000 00:00000000 00000000     0\n"

    private static func findings(_ files: [String: String]) async -> [DoctorFinding] {
        await MirroringCheck(rules: self.rules, read: { files[$0] }).findings()
    }

    @Test func allIsThere() async {
        let findings = await Self.findings([
            "/proc/net/udp": Self.head + Self.line, MirroringCheck.rulesPath: Self.rules.text,
        ])
        #expect(findings.map(\.level) == [.ok, .ok])
    }

    @Test func whatIsMissingIsNamedWithTheCommandThatSetsIt() async {
        let findings = await Self.findings(["/proc/net/udp": Self.head])
        #expect(findings.map(\.level) == [.warn, .warn])
        #expect(findings.first?.advice.contains("systemctl enable castway-mirroring.socket") == true)
        #expect(findings.last?.advice.contains("systemctl enable --now castway-mirroring.service") == true)
    }

    @Test func rulesOfAnotherConfigurationAreSeen() async {
        let findings = await Self.findings([
            "/proc/net/udp": Self.head + Self.line, MirroringCheck.rulesPath: MirroringRules([]).text,
        ])
        #expect(findings.map(\.level) == [.ok, .warn])
        #expect(findings.last?.advice.contains("systemctl reload castway-mirroring") == true)
    }

    @Test(arguments: [
        "", "nonsense", "a\nb\n", " 1: 0100007F:1F59 x\n 2: 0200007F:1F58 x\n 3: :1F58\n 4: 0100007F\n",
    ])
    func otherSocketsAreNotTakenForIt(table: String) {
        #expect(!MirroringCheck.isBound(8024, in: "head\n" + table))
    }
}
