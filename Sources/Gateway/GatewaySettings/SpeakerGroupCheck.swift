import BuiltInReceiver
import CastDiscovery
import GatewayConfig
package import VirtualDevices

/// What several virtual devices say together about speaker groups.
enum SpeakerGroupCheck {
    private enum Kind { case speaker, group, relay }

    /// Adds groups that relay, and members that do not exist, are groups, or relay.
    static func check(_ root: ConfigSection, problems: inout ConfigProblems) {
        let devices = root.sections("virtual_devices")
        guard devices.contains(where: { $0.optionalSection("group") != nil }) else { return }
        var kinds: [String: Kind] = [:]
        for device in devices {
            guard let name = device.optionalString("name"), device.isValid("target") else { continue }
            let isRelay = device.optionalSection("target") != nil
            kinds[name] = isRelay ? .relay : device.optionalSection("group") == nil ? .speaker : .group
        }
        let areKnown = kinds.count == devices.count
        for device in devices {
            guard let group = device.optionalSection("group"), let name = device.optionalString("name") else {
                continue
            }
            if kinds[name] == .relay {
                problems.add(
                    .inconsistent, at: group.location, "'\(name)' stands for a real device, and cannot be a group",
                    hint: "target: local; a group of real speakers is itself a device that can be relayed to")
            }
            for member in group.list("members") {
                guard let text = member.string else { continue }
                self.check(text, member.location, of: name, kinds, areKnown, &problems)
            }
        }
    }

    private static func check(
        _ member: String, _ place: ConfigLocation, of group: String, _ kinds: [String: Kind], _ areKnown: Bool,
        _ problems: inout ConfigProblems
    ) {
        switch kinds[member] {
        case .speaker: return
        case .group:
            problems.add(
                .inconsistent, at: place,
                member == group
                    ? "'\(group)' is a member of itself" : "'\(member)' is a group, and groups have no groups in them",
                hint: "name the members of a group instead")
        case .relay:
            problems.add(
                .inconsistent, at: place,
                "'\(member)' stands for a real device, whose sound cannot be kept in step with the group '\(group)'",
                hint: "members have 'target: local'; groups of real speakers are made in the app that set them up")
        case nil:
            guard areKnown else { return }
            problems.addUndefined(
                member, what: "virtual device", at: place, known: kinds.keys.sorted(), place: "virtual_devices")
        }
    }
}

extension VirtualDeviceConfiguration {
    /// The bits of a speaker group as real ones announce them (protocol notes, 1.3).
    private static let groupCapabilities = 198_692

    /// ``device`` as senders see it: a group has the bit of one and no screen, and unless the file says something else the model of one.
    package var announced: VirtualDeviceSettings {
        guard self.receiver.group != nil else { return self.device }
        var settings = self.device
        let blank = VirtualDeviceSettings(name: "", listen: settings.listen)
        if settings.model == blank.model { settings.model = "Google Cast Group" }
        if settings.capabilities == blank.capabilities { settings.capabilities = Self.groupCapabilities }
        let bits = DeviceCapabilities(rawValue: UInt64(clamping: settings.capabilities))
            .union([.multizoneGroup, .audioOut]).subtracting([.videoOut, .videoIn])
        settings.capabilities = Int(clamping: bits.rawValue)
        return settings
    }
}
