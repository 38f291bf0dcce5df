package import GatewayConfig

/// `virtual_devices[].group`: what makes a virtual device a speaker group.
package struct SpeakerGroupConfiguration: ConfigObject, Hashable {
    package static let maximumMembers = 16

    /// The names of the virtual devices that play what the group plays: 1 to ``maximumMembers``.
    package var members: [String] = []

    package static let keys: [Key] = [
        .required(
            "members", \.members, .list(of: .text(allowed: "a-z0-9-", length: 1...32)),
            "The virtual devices that play what the group plays, 1 to 16 with `target: local` that are no groups; "
                + "a change here takes back what `group.change` did",
            example: "[kitchen, hall]")
    ]

    /// Makes a group.
    package init(members: [String]) {
        self.members = members
    }

    package init(blank: ConfigBlank) {}

    /// Adds members that are written twice, and lists that are empty or too long.
    package static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        guard section.isValid("members") else { return }
        let members = section.list("members")
        if members.isEmpty || members.count > Self.maximumMembers {
            problems.add(
                .outOfRange, at: section.location("members"),
                "'\(section.path("members"))' has \(members.count) names, and a group has 1 to \(Self.maximumMembers) members"
            )
        }
        var places: [String: ConfigLocation] = [:]
        for member in members {
            guard let name = member.string else { continue }
            if let first = places[name] {
                problems.add(
                    .duplicateName, at: member.location, "'\(name)' is listed twice in '\(section.path("members"))'",
                    hint: "first at \(first)")
            }
            places[name] = places[name] ?? member.location
        }
    }
}
