package import GatewayConfig

/// `virtual_devices[].senders`: who may use a virtual device.
package struct SenderRules: Sendable, Equatable {
    /// The addresses from which senders may connect; empty means everyone.
    package var allow: [AddressRange] = []
    /// Whether an address needs a join code as well.
    package var join = SenderJoin.open
    /// How many addresses may be connected at the same time; nil for no limit. Of IPv6 a /64 counts as one.
    package var maximumAddresses: Int?
    /// The times of the week at which senders may be connected; empty means always.
    package var during: [WeekTimes] = []
    /// Whether apps that were started while a sender was connected are stopped when ``during`` is over.
    package var stopsAtEnd = false

    /// Lets everyone in at all times.
    package init() {}

    /// What to write instead of an empty list of addresses.
    package static let everyone = #"leave the key out, or write [0.0.0.0/0, "::/0"], to let everyone in"#

    /// The keys that every kind of virtual device has.
    package static let keys: [ConfigKey<SenderRules>] = [
        .selection(
            "allow", \.allow, .oneOrMore(of: .addressRange),
            "The addresses from which senders may connect; without it everyone may", example: "[10.20.0.0/16]",
            hint: Self.everyone),
        ConfigKey(
            "join", \.join, .word,
            "Whether senders need a join code beside that: with `required` an address may connect once a guest has redeemed a code "
                + "there, until check-out or until the guest's time is over",
            example: "required"),
        .optional(
            "max", \.maximumAddresses, .integer(1...65_536),
            "Of a device with `target: {passthrough: …}`: how many addresses may be connected at the same time, with any number of "
                + "connections each (IPv6: a /64 counts as one)", example: "4"),
        .selection(
            "during", \.during, .oneOrMore(of: .weekTimes),
            "Of a device with `target: {passthrough: …}`: the times of the week at which senders may be connected, in the time zone of "
                + "`routing.time_zone`; always without it. The device is announced at these times only",
            example: "[\"08:00-23:00\"]"),
        ConfigKey(
            "stop_at_end", \.stopsAtEnd, .boolean,
            "Of a device with `target: {passthrough: …}`: whether apps that were started while a sender was connected are stopped when "
                + "a time of `during` is over", example: "true"),
    ]

    /// The keys that only some kinds have.
    package static let limitedKeys = ["max", "during", "stop_at_end"]

    /// Adds times that are none, and keys that this kind of device does not have.
    /// - Parameters:
    ///   - section: the mapping `senders`.
    ///   - isLimited: whether the device is of the kind that has `max`, `during` and `stop_at_end`.
    package static func check(_ section: ConfigSection, isLimited: Bool, problems: inout ConfigProblems) {
        for times in section.value("during").map({ $0.list ?? [$0] }) ?? [] {
            guard let text = times.string, WeekTimes(text) == nil else { continue }
            problems.add(
                .malformedValue, at: times.location,
                "'\(section.path("during"))' must be days, hours or both, not '\(text)'",
                hint: "such as Mon-Fri 08:00-16:00, Sat,Sun, or 22:00-06:00")
        }
        guard !isLimited else { return }
        for key in self.limitedKeys where section.isWritten(key) {
            problems.add(
                .inconsistent, at: section.location(key),
                "'\(section.path(key))' is for devices with 'target: {passthrough: …}' only",
                hint: "for other devices say it as a rule: routing.rules with 'when: {during: …}'")
        }
    }

    /// Why an address may not connect now; nil when it may. How many addresses are connected is not looked at.
    /// - Parameters:
    ///   - address: without the port.
    ///   - device: the virtual device's name.
    package func obstacle(for address: String, to device: String, _ rights: any SenderRights) -> String? {
        guard self.allow.isEmpty || self.allow.contains(where: { $0.contains(address) }) else {
            return "the address is not in senders.allow"
        }
        guard self.join == .open || rights.mayConnect(address, to: device) else {
            return "the address has redeemed no join code"
        }
        return nil
    }

    /// Whether senders may be connected at a minute of the week; 0 is Monday, 00:00.
    package func allows(minute: Int) -> Bool {
        self.during.isEmpty || self.during.contains { $0.contains(minute: minute) }
    }
}

/// `virtual_devices[].senders.join`: whether senders need a join code.
package enum SenderJoin: String, Sendable, Hashable, CaseIterable {
    /// Every address that `senders.allow` lets in may connect.
    case open
    /// Only an address may connect at which a join code was redeemed.
    case required
}

extension ConfigType where Value == WeekTimes {
    /// Days, hours or both, as in rules. What is none of it has to be checked for: ``SenderRules/check(_:isLimited:problems:)``.
    fileprivate static var weekTimes: ConfigType {
        ConfigType<String>.text(maximumBytes: 64).converted({ WeekTimes($0) }, \.description)
    }
}
