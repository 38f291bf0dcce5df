import Glibc
import Passthrough

/// Whether what senders of devices that are passed through mirror comes to the gateway: its socket, and the rules that bring it there.
struct MirroringCheck: DoctorCheck {
    /// What `castway-mirroring.service` has set, as long as it runs.
    static let rulesPath = "/run/castway-mirroring/rules"
    private static let socketsPath = "/proc/net/udp"

    /// What `gateway.yaml` asks for.
    let rules: MirroringRules
    /// Reads a text file; nil when it is not there, or may not be read.
    var read: @Sendable (_ path: String) -> String? = { TextFile.read($0, limit: 4 << 20) }

    let name = "mirroring"

    func findings() async -> [DoctorFinding] { [self.socketFinding, self.rulesFinding] }

    private var socketFinding: DoctorFinding {
        let subject = "the socket at 127.0.0.1:\(MirroringRules.port)"
        guard let table = self.read(Self.socketsPath) else {
            return .warn(subject, "\(Self.socketsPath) cannot be read", advice: "look with: ss -ulnp")
        }
        if Self.isBound(MirroringRules.port, in: table) { return .ok(subject, "is there") }
        return .warn(
            subject, "is not there, so nothing that is mirrored passes",
            advice:
                "systemctl enable castway-mirroring.socket, then systemctl stop castway and systemctl start castway; "
                + "a gateway that root runs makes it itself")
    }

    private var rulesFinding: DoctorFinding {
        let subject = "the rules of nftables"
        guard let text = self.read(Self.rulesPath) else {
            return .warn(
                subject, "are not set by castway-mirroring.service",
                advice: "systemctl enable --now castway-mirroring.service (it needs the package nftables); "
                    + "by hand: castway mirroring rules | sudo nft -f -, and sudo nft list table inet \(MirroringRules.table) shows them"
            )
        }
        return text == self.rules.text
            ? .ok(subject, "are those of the configuration")
            : .warn(
                subject, "are those of another configuration",
                advice: "systemctl reload castway-mirroring; by hand: castway mirroring rules | sudo nft -f -")
    }

    /// Whether a socket of IPv4 is bound to a port of 127.0.0.1.
    /// - Parameter table: as `/proc/net/udp` has it: addresses in figures of sixteen, as the machine keeps them.
    static func isBound(_ port: Int, in table: String) -> Bool {
        let loopback = UInt32(bigEndian: 0x7F00_0001)
        return table.split(separator: "\n").dropFirst().contains { line in
            let columns = line.split(separator: " ", omittingEmptySubsequences: true)
            let local = columns.dropFirst().first?.split(separator: ":") ?? []
            return local.count == 2 && UInt32(local[0], radix: 16) == loopback && Int(local[1], radix: 16) == port
        }
    }
}
