import GatewayConfig

/// `groups`: names for several virtual devices at once.
///
/// The names are gone when a configuration is read: wherever a key takes groups (``ConfigType/namingGroups(_:)``), their members
/// stand in their place.
enum DeviceGroups {
    /// What `groups` may say: lists of names and patterns, by the group's name.
    static let schema = ConfigSchema.map(
        key: .text(allowed: "a-z0-9-", length: 1...32), value: .list(of: .text(maximumBytes: 32))
    ).shortened(.groups(of: "virtual_devices"))

    /// The names of all groups.
    static func names(in root: ConfigSection) -> [String] { root.map("groups").map(\.key) }

    /// Adds groups without members, members that do not exist, and groups that are called like a virtual device.
    /// - Parameter virtualDevices: the names of all virtual devices; nil when they are not known for sure.
    static func check(_ root: ConfigSection, virtualDevices: [String]?, problems: inout ConfigProblems) {
        let groups = Set(self.names(in: root))
        for group in root.map("groups") {
            let members = group.value.list ?? []
            if members.isEmpty, group.value.isValid {
                problems.add(
                    .outOfRange, at: group.value.location, "the group '\(group.key)' has no members",
                    hint: "what names it would be about no device; remove it, or write [\"*\"] for all devices")
            }
            guard let virtualDevices else { continue }
            if virtualDevices.contains(group.key) {
                problems.add(
                    .duplicateName, at: group.keyLocation,
                    "'\(group.key)' is a group and a virtual device, so that it cannot be told which one is meant",
                    hint: "give the group another name")
            }
            for member in members {
                guard let name = member.string, !virtualDevices.contains(where: Glob(name).matches) else { continue }
                if groups.contains(name) {
                    problems.add(
                        .inconsistent, at: member.location, "'\(name)' is a group, and groups have no groups in them",
                        hint: "name its members, or both groups where this one is used")
                } else {
                    problems.addUndefined(
                        name, what: "virtual device", at: member.location, known: virtualDevices,
                        place: "virtual_devices")
                }
            }
        }
    }
}
