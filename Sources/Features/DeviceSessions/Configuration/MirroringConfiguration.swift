package import GatewayConfig
package import GatewayCore

/// `virtual_devices[].mirroring`: what becomes of the streams of senders that mirror a tab or a screen.
package struct MirroringConfiguration: ConfigSettings {
    /// `mirroring.udp`: what becomes of the datagrams of a stream.
    package enum Datagrams: String, Sendable, Hashable, CaseIterable {
        /// The gateway carries them to the device and back.
        case relay
        /// Nothing: the apps for mirroring are not there.
        case off
    }

    /// The number of streams that pass one virtual device at a time; each has two sockets.
    package static let maximumStreams = 8

    /// The treatment of the datagrams.
    package var udp = Datagrams.relay
    /// The ports at which senders may be told to send, as `first-last`; nil lets the system choose.
    package var ports: String?

    package static let keys: [Key] = [
        Key(
            "udp", \.udp, .word,
            "With `relay` the gateway carries the stream to the device and back; with `off` senders are told that the apps for mirroring "
                + "are not available"),
        .optional(
            "ports", \.ports, .text(allowed: "0-9-", length: 3...11),
            "The UDP ports of the gateway that streams come to, one for each stream, for firewalls; without it the system chooses",
            example: "40000-40100"),
    ]

    package init() {}

    /// The ports as a range; nil when there is none.
    package var portRange: ClosedRange<Int>? { self.ports.flatMap { Self.portRange($0) } }

    /// The settings in the form that relays take.
    package var settings: MirroringSettings {
        MirroringSettings(isRelayed: self.udp == .relay, ports: self.portRange)
    }

    /// Reads `first-last`, both from 1,024 to 65,535; nil for anything else.
    static func portRange(_ text: String) -> ClosedRange<Int>? {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, ends.allSatisfy({ (4...5).contains($0.utf8.count) && $0.first != "0" }),
            let first = Int(ends[0]), let last = Int(ends[1]), first <= last, (1024...65_535).contains(first),
            last <= 65_535
        else { return nil }
        return first...last
    }

    /// Adds ports that are no range.
    package static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        guard let text = section.optionalString("ports"), self.portRange(text) == nil else { return }
        problems.add(
            .malformedValue, at: section.location("ports"),
            "'\(section.path("ports"))' must be a range of ports from 1024 to 65535, not '\(text)'",
            hint: "write first-last, such as 40000-40100")
    }
}
