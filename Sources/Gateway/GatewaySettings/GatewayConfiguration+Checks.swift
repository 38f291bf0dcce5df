import ControlAPI
import DeviceSessions
package import GatewayConfig
import GatewayCore
import NamespaceHandlers
package import PluginHosting
import VirtualDevices

extension GatewayConfiguration {
    /// Adds what is wrong between the values: undefined names, shared addresses, and what the features check themselves.
    package static func check(
        _ root: ConfigSection, folders: PluginFolders, machine: MachineAddresses, problems: inout ConfigProblems
    ) {
        // What every mapping says of itself.
        self.checkAll(root, problems: &problems)
        ConnectionsConfiguration.check(root.section("connections"), problems: &problems)
        // What several mappings say together.
        AdminConfiguration.check(root.section("admin"), gateway: root.section("gateway"), problems: &problems)
        let builtIn = self.builtInOwners()
        var owned = builtIn
        // The names of virtual devices for discovered devices are not known before these are found.
        let hasTemplate = root.section("discovery").has("virtual_devices")
        let virtualDevices = hasTemplate ? nil : self.names(in: root, "virtual_devices")
        let groups = DeviceGroups.names(in: root)
        DeviceGroups.check(root, virtualDevices: virtualDevices, problems: &problems)
        let channels = root.sections("channels")
        let devices = self.namedDevices(in: root, virtual: virtualDevices, groups: groups)
        ChannelConfiguration.check(
            channels, owned: builtIn, devices: devices, webhooks: self.names(in: root.section("bridges"), "webhooks"),
            hasMQTT: root.section("bridges").has("mqtt"), problems: &problems)
        LaunchCheck.check(
            root.section("launch"), webhooks: self.names(in: root.section("bridges"), "webhooks"),
            virtualDevices: virtualDevices, groups: groups, problems: &problems)
        CategoryLaunchConfiguration.check(
            root.section("launch"), plugins: self.names(in: root.section("plugins"), "instances"), problems: &problems)
        // Channels on some devices, or on another leg, are compared with grants when both are registered.
        for channel in channels
        where channel.isValid("namespace") && !channel.has("devices") && !channel.isWritten("legs") {
            owned[channel.string("namespace")] = "'channels'"
        }
        RoutingConfiguration.check(
            root.section("routing"), devices: devices, problems: &problems)
        HandlersCheck(root, virtualDevices: virtualDevices, groups: groups).check(&problems)
        PluginsConfiguration.check(
            root.section("plugins"), folders: folders, virtualDevices: virtualDevices, groups: groups,
            realDevices: devices.mayFindOthers ? nil : devices.real, families: OperationFamilies.reserved, owned: owned,
            problems: &problems)
        PluginsConfiguration.check(
            players: root.sections("virtual_devices").flatMap { device in
                device.map("apps").compactMap { $0.value.section?.optionalSection("player") }
            }, root.section("plugins"), folders: folders, problems: &problems)
        PluginsConfiguration.check(
            providers: root.sections("virtual_devices").flatMap { device in
                device.map("apps").compactMap {
                    $0.value.section?.optionalSection("queue")?.optionalSection("provider")
                }
            }, of: .queue, root.section("plugins"), folders: folders, problems: &problems)
        PluginsConfiguration.check(
            providers: [root.optionalSection("pictures")?.optionalSection("source")].compactMap { $0 }, of: .picture,
            root.section("plugins"), folders: folders, problems: &problems)
        self.checkTargets(root, problems: &problems)
        self.checkGuests(root, problems: &problems)
        SpeakerGroupCheck.check(root, problems: &problems)
        ListenerCheck(root).check(&problems)
        PassthroughCheck(root, interfaces: .current).check(&problems)
        RelayLoopCheck(root, machine: machine).check(&problems)
        var words = WordCheck(root, folders: folders)
        words.check(&problems)
    }

    /// The devices that rules and channels may name.
    private static func namedDevices(
        in root: ConfigSection, virtual: [String]?, groups: [String]
    ) -> NamedDevices {
        let discovery = root.section("discovery")
        let known = self.names(in: discovery, "static")
        let targets = root.sections("virtual_devices").compactMap { device in
            device.optionalSection("target").flatMap { target in
                target.isValid(target.targetKey) ? target.optionalString(target.targetKey) : nil
            }
        }
        let mdns = discovery.section("mdns")
        return NamedDevices(
            virtual: virtual, groups: groups, real: (known ?? []) + targets.filter { !(known ?? []).contains($0) },
            mayFindOthers: known == nil || !mdns.isValid("enabled") || mdns.boolean("enabled"))
    }

    /// The namespaces that Castway's own handlers own whatever is configured, with who it is.
    private static func builtInOwners() -> [String: String] {
        let builtIns = BuiltInHandlers.make(
            routing: RoutingConfiguration(), launch: LaunchSettings(LaunchConfiguration()), channels: [])
        var owned: [String: String] = [:]
        for handler in builtIns {
            for claim in handler.claims where claim.phase == .handle {
                owned["\(claim.pattern)"] = "the built-in handler '\(handler.name)'"
            }
        }
        return owned
    }

    private static func checkTargets(_ root: ConfigSection, problems: inout ConfigProblems) {
        let discovery = root.section("discovery")
        self.checkInlineTargets(root, problems: &problems)
        let mdns = discovery.section("mdns")
        guard mdns.isValid("enabled") else { return }
        let isProvided = root.section("plugins").sections("instances").contains { instance in
            let grant = instance.section("grant")
            return grant.strings("provides").contains(PluginProvision.devices.rawValue)
                || grant.optionalString("as") == "manifest"
        }
        let mayBeFound = mdns.boolean("enabled") || isProvided
        guard root.isValid("discovery"), let known = self.names(in: discovery, "static") else { return }
        let names = Set(known)
        for device in root.sections("virtual_devices") {
            guard let target = device.optionalSection("target"), target.isValid(target.targetKey) else { continue }
            let name = target.targetName
            guard !names.contains(name) else { continue }
            if mayBeFound {
                problems.addSimilar(
                    name, what: "device", at: target.location(target.targetKey), known: known,
                    place: "discovery.static",
                    otherwise: "it waits for discovery")
            } else {
                problems.addUndefined(
                    name,
                    what: "device",
                    at: target.location(target.targetKey),
                    known: known,
                    place: "discovery.static"
                )
            }
        }
    }

    /// Warns of a device that asks for join codes, while guests have no page to redeem them on.
    private static func checkGuests(_ root: ConfigSection, problems: inout ConfigProblems) {
        guard !root.section("api").section("join").has("listen") else { return }
        for device in root.sections("virtual_devices") {
            let senders = device.section("senders")
            guard senders.isWritten("join"), senders.isValid("join"),
                senders.string("join") == SenderJoin.required.rawValue
            else { continue }
            problems.add(
                .inconsistent, at: senders.location("join"),
                "senders need a join code, and there is no page on which guests redeem one",
                hint: "api: {join: {listen: 0.0.0.0:8481}}; without it only 'join_code.redeem' lets guests in",
                severity: .warning)
        }
    }

    /// Adds targets that are addresses when another device is called like the address.
    private static func checkInlineTargets(_ root: ConfigSection, problems: inout ConfigProblems) {
        var others: [String: ConfigSection] = [:]
        for device in root.section("discovery").sections("static") { others[device.string("name")] = device }
        for device in root.sections("virtual_devices") {
            guard let target = device.optionalSection("target"), target.isValid("address") else { continue }
            guard let other = others[target.targetName], other.isValid("address"),
                other.dialAddress("address").canonical != target.dialAddress("address").canonical
            else { continue }
            problems.add(
                .inconsistent, at: target.location("address"),
                "'discovery.static' calls another device '\(target.targetName)', which is at \(other.dialAddress("address"))",
                hint: "that device is at \(other.location("name")); give it another name")
        }
    }

    /// The names that a list defines; nil when one of them could not be read, so that nothing is called undefined wrongly.
    private static func names(in section: ConfigSection, _ key: String) -> [String]? {
        guard section.isValid(key) else { return nil }
        var names: [String] = []
        for element in section.list(key) {
            guard let name = element.section?.optionalString("name") else { return nil }
            names.append(name)
        }
        return names
    }
}

/// Registers the handlers of a configuration as the gateway does when it starts, and finds those that it would refuse.
struct HandlerCheck {
    private let configuration: GatewayConfiguration
    /// Where the handlers that can be refused are described, by their names.
    private var places: [String: ConfigLocation] = [:]
    private let rules: [ConfigSection]

    /// - Parameter root: the checked tree that the configuration was read from.
    init(_ configuration: GatewayConfiguration, _ root: ConfigSection) {
        self.configuration = configuration
        self.rules = root.section("routing").sections("rules")
        for (channel, section) in zip(configuration.channels, root.sections("channels")) {
            self.places[channel.handlerName] = section.location("namespace")
        }
        for instance in root.section("plugins").sections("instances") {
            self.places[instance.string("name")] = instance.location("name")
        }
    }

    /// Adds every handler that cannot be registered beside those before it.
    /// - Parameter file: where to point for a handler that no part of the file describes.
    func check(_ problems: inout ConfigProblems, file: ConfigLocation) {
        let registry = HandlerRegistry()
        // Nothing is registered yet that could be in conflict.
        try? registry.follow(self.configuration.handlerPlan)
        for plugin in self.configuration.plugins.instances where BuiltInHandlers.Name.comeAndGo.contains(plugin.name) {
            problems.add(
                .duplicateName, at: self.places[plugin.name] ?? file,
                "a handler named '\(plugin.name)' is registered already", hint: Self.nameHint)
        }
        for handler in self.configuration.builtInHandlers + self.configuration.plugins.silentHandlers {
            do {
                try registry.register(handler)
            } catch {
                problems.add(
                    Self.code(of: error), at: self.places[handler.name] ?? file, error.reason,
                    hint: Self.hint(of: error))
            }
        }
        // A handler that was refused is missing for another reason.
        guard !problems.hasErrors else { return }
        ForwardedRuleCheck(table: registry.table, devices: self.configuration.virtualDevices.map(\.name))
            .check(self.configuration.routing.rules, self.rules, &problems)
    }

    private static let nameHint = "Castway has a handler of that name; give the plugin another"

    private static func code(of error: GatewayError) -> ConfigProblem.Code {
        switch error.code {
        case .handlerExists: .duplicateName
        case .reservedNamespace: .reservedNamespace
        default: .claimConflict
        }
    }

    private static func hint(of error: GatewayError) -> String? {
        error.code == .handlerExists ? Self.nameHint : nil
    }
}
