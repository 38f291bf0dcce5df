internal import ControlAPI
internal import DeviceSessions
internal import GatewayConfig
internal import GatewayCore
internal import NamespaceHandlers
internal import PluginHosting
internal import VirtualDevices

extension GatewayConfiguration {
    /// Adds what is wrong between the values: undefined names, shared addresses, and what the features check themselves.
    static func check(_ root: ConfigSection, folders: PluginFolders, problems: inout ConfigProblems) {
        AdminConfiguration.check(root.section("admin"), gateway: root.section("gateway"), problems: &problems)
        IdentityConfiguration.check(root.section("identity"), problems: &problems)
        ShutdownConfiguration.check(root.section("shutdown"), problems: &problems)
        let connections = root.section("connections")
        ConnectionsConfiguration.check(connections, problems: &problems)
        SenderLimits.check(connections.section("senders"), problems: &problems)
        LaunchConfiguration.check(root.section("launch"), problems: &problems)
        for device in root.sections("virtual_devices") {
            VirtualDeviceConfiguration.check(device, problems: &problems)
        }
        for channel in root.sections("channels") {
            ChannelConfiguration.check(channel, problems: &problems)
        }
        let virtualDevices = self.names(in: root, "virtual_devices")
        RoutingConfiguration.check(root.section("routing"), virtualDevices: virtualDevices, problems: &problems)
        PluginsConfiguration.check(
            root.section("plugins"), folders: folders, virtualDevices: virtualDevices,
            owned: self.ownedNamespaces(root), problems: &problems)
        PluginsConfiguration.check(
            players: root.sections("virtual_devices").flatMap { device in
                device.map("apps").compactMap { $0.value.section?.optionalSection("player") }
            }, root.section("plugins"), folders: folders, problems: &problems)
        self.checkTargets(root, problems: &problems)
        self.checkAddresses(root, problems: &problems)
    }

    /// The namespaces that have an owner without any plugin, with who it is.
    private static func ownedNamespaces(_ root: ConfigSection) -> [String: String] {
        let builtIns = BuiltInHandlers.make(
            routing: RoutingConfiguration(), launch: LaunchSettings(LaunchConfiguration()), channels: [],
            relayedApps: [:])
        var owned: [String: String] = [:]
        for handler in builtIns {
            for claim in handler.claims where claim.phase == .handle {
                owned["\(claim.pattern)"] = "the built-in handler '\(handler.name)'"
            }
        }
        for channel in root.sections("channels") where channel.isValid("namespace") {
            owned[channel.string("namespace")] = "'channels'"
        }
        return owned
    }

    private static func checkTargets(_ root: ConfigSection, problems: inout ConfigProblems) {
        let discovery = root.section("discovery")
        let mdns = discovery.section("mdns")
        guard mdns.isValid("enabled") else { return }
        let mayBeFound = mdns.boolean("enabled")
        guard root.isValid("discovery"), let known = self.names(in: discovery, "static") else { return }
        let names = Set(known)
        for device in root.sections("virtual_devices") {
            guard let target = device.optionalSection("target"), target.isValid("device") else { continue }
            let name = target.string("device")
            guard !names.contains(name) else { continue }
            if mayBeFound {
                problems.addSimilar(
                    name, what: "device", at: target.location("device"), known: known, place: "discovery.static",
                    otherwise: "it waits for discovery")
            } else {
                problems.addUndefined(
                    name,
                    what: "device",
                    at: target.location("device"),
                    known: known,
                    place: "discovery.static"
                )
            }
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

    private static func checkAddresses(_ root: ConfigSection, problems: inout ConfigProblems) {
        var taken: [(address: ListenAddress, path: String, location: ConfigLocation)] = []
        for device in root.sections("virtual_devices") {
            let setup = device.section("setup")
            for (section, key) in [(device, "listen"), (setup, "http"), (setup, "https")] {
                guard let address = section.optionalListenAddress(key), address.port != 0 else { continue }
                let location = section.location(key)
                if let other = taken.first(where: { self.clash($0.address, address) }) {
                    problems.add(
                        .addressInUse,
                        at: location,
                        "'\(section.path(key))' \(address) is already used",
                        hint: "by '\(other.path)' \(other.address) at \(other.location)"
                    )
                } else {
                    taken.append((address, section.path(key), location))
                }
            }
        }
    }

    /// Whether two listeners cannot both be bound: the same port, and the same host or one that covers it.
    private static func clash(_ first: ListenAddress, _ second: ListenAddress) -> Bool {
        guard first.port == second.port else { return false }
        let hosts = [first.host, second.host].map { IPAddress($0)?.description ?? $0 }
        if hosts[0] == hosts[1] || hosts.contains("::") { return true }
        // 0.0.0.0 covers every IPv4 address and no IPv6 address.
        return hosts.contains("0.0.0.0") && !hosts.contains { $0.contains(":") }
    }
}
