import Testing

@testable import Passthrough

/// The rules of nftables as `castway mirroring rules` prints them.
@Suite struct MirroringRulesTests {
    @Test func thereIsOneLineForEachScreen() {
        let rules = MirroringRules([
            .init(name: "room-12", address: "10.20.12.1"), .init(name: "room-13", address: "10.20.13.1"),
        ])
        #expect(
            rules.text == """
                table inet castway_mirroring
                delete table inet castway_mirroring
                table inet castway_mirroring {
                    chain prerouting {
                        type filter hook prerouting priority mangle; policy accept;
                        iifname != "lo" ip daddr 10.20.12.1 udp dport 1024-65535 goto streams comment "room-12"
                        iifname != "lo" ip daddr 10.20.13.1 udp dport 1024-65535 goto streams comment "room-13"
                    }
                    chain streams {
                        socket transparent 0 accept
                        meta l4proto udp tproxy ip to 127.0.0.1:8024 accept
                    }
                }

                """)
    }

    @Test func withoutScreensTheTableGoes() {
        #expect(MirroringRules([]).isEmpty)
        #expect(
            MirroringRules([]).text == "table inet castway_mirroring\ndelete table inet castway_mirroring\n")
    }

    @Test func noNameEndsAComment() {
        let name = "a\"; flush ruleset; \"\nZimmer ü" + String(repeating: "x", count: 200)
        let lines = MirroringRules([.init(name: name, address: "10.20.12.1")]).text.split(separator: "\n")
        let line = lines.first { $0.contains("10.20.12.1") } ?? ""
        #expect(line.hasSuffix("x\"") && line.contains("comment \"a__ flush ruleset_ __Zimmer _x"))
        #expect(line.count(where: { $0 == "\"" }) == 4, "those of lo, and those of the comment")
        #expect(lines.count == 12)
    }
}
