/// The rules of nftables that bring what senders mirror to the gateway: one table of Castway's own, which follows from `gateway.yaml`.
///
/// They are about datagrams to the addresses of devices whose mirrored streams are carried, and change nothing else: nothing is
/// forwarded, and what a socket of this machine waits for stays its own.
package struct MirroringRules: Sendable, Hashable {
    /// An address to which senders of one device mirror.
    package struct Screen: Sendable, Hashable {
        /// The virtual device.
        package let name: String
        /// The IPv4 address that it listens on.
        package let address: String

        package init(name: String, address: String) {
            self.name = name
            self.address = address
        }
    }

    /// The name of the table; everything in it is Castway's.
    package static let table = "castway_mirroring"
    /// The port of 127.0.0.1 at which the gateway takes what the rules bring; `castway-mirroring.socket` has the same.
    package static let port = 8024
    /// Comments may not be longer, and names of devices may.
    private static let longestComment = 64

    private let screens: [Screen]

    /// - Parameter screens: in the order of `gateway.yaml`.
    package init(_ screens: [Screen]) {
        self.screens = screens
    }

    package var isEmpty: Bool { self.screens.isEmpty }

    /// The command that removes the table, be it there or not; for `nft -f -`.
    public static let removal = """
        table inet \(Self.table)
        delete table inet \(Self.table)

        """

    /// The table in place of the one that is there, all at once; for `nft -f -`.
    package var text: String {
        guard !self.isEmpty else { return Self.removal }
        let jumps = self.screens.map { screen in
            "        iifname != \"lo\" ip daddr \(screen.address) udp dport 1024-65535 goto streams"
                + " comment \"\(Self.comment(screen.name))\"\n"
        }
        return Self.removal + """
            table inet \(Self.table) {
                chain prerouting {
                    type filter hook prerouting priority mangle; policy accept;
            \(jumps.joined())    }
                chain streams {
                    socket transparent 0 accept
                    meta l4proto udp tproxy ip to 127.0.0.1:\(Self.port) accept
                }
            }

            """
    }

    /// A name without what could end the comment.
    private static func comment(_ name: String) -> String {
        let allowed = name.unicodeScalars.map { scalar -> Character in
            let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
            return isPlain || " ._-".unicodeScalars.contains(scalar) ? Character(scalar) : "_"
        }
        return String(allowed.prefix(Self.longestComment))
    }
}
