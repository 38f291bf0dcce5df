package import GatewayConfig

/// `discovery`: where real devices are found.
package struct DiscoveryConfiguration: ConfigSettings {
    /// `mdns`: how devices are searched for.
    package var multicast = MulticastConfiguration()
    /// `static`: devices at known addresses.
    package var staticDevices: [StaticDevice] = []
    /// `receiver_app`: the app that devices have to have, and that a new session launches; nil for any, ``noApp`` for none.
    package var receiverApp: String?
    /// `receiver_apps`: apps of which devices have to have one, the one that a new session launches first; empty for `receiver_app`.
    package var receiverApps: [String] = []
    /// `namespaces`: what the app that runs on a device has to understand, one of them; empty for anything.
    package var namespaces: [String] = []
    /// `stop_when_unused`: after which time without a call or a reader of events devices are not searched for; nil for never.
    package var stopWhenUnused: Duration?
    /// `allow`: names or ids of the devices that are listed; empty for all.
    package var allow: [Glob] = []
    /// `deny`: names or ids of devices that are not listed.
    package var deny: [Glob] = []
    /// `virtual_devices`: a virtual device for each device that is found; nil for none.
    package var template: DeviceTemplateConfiguration?

    /// The keys of `discovery`.
    package static let keys: [Key] = [
        Key("mdns", \.multicast, .object, "How devices are searched for in the network", reload: .hot),
        Key(
            "static", \.staticDevices,
            .list(of: .object, namedBy: "name", \.name).shortened(.elements(defaults: nil)),
            "Real devices at known addresses, for networks without multicast"),
        .optional(
            "receiver_app", \.receiverApp, .appID,
            "The app that is to be used: devices that are known not to have it are not listed, and a new session, or a load on a device "
                + "where no app runs that takes media, launches it. Without it all devices are listed, and such a load launches the default media "
                + "receiver; with `none` it launches nothing",
            example: "CC1AD845", reload: .hot),
        Key(
            "receiver_apps", \.receiverApps, .list(of: .appID),
            "The apps that are to be used, in the place of `receiver_app`: devices that are known to have none of them are not listed, and a new "
                + "session launches the first",
            example: "[CC1AD845, 0F5096E8]", reload: .hot),
        Key(
            "namespaces", \.namespaces, .list(of: .namespace),
            "Namespaces of which the app that runs on a device has to understand one for the device to be listed, as far as the device says so by "
                + "mDNS; an empty list asks for none. Those of `static` are always listed",
            example: "[\"urn:x-cast:com.example.quiz\"]", reload: .hot),
        .optional(
            "stop_when_unused", \.stopWhenUnused, .duration(.seconds(1) ... .seconds(86_400)),
            "After which time without a call, an event stream or a command by MQTT devices are not searched for until the next one; what was found goes "
                + "from the list meanwhile. Without it they are always searched for",
            example: "1h", reload: .hot),
        .selection(
            "allow", \.allow, .oneOrMore(of: .glob),
            "Friendly names or ids of the devices that are listed, with `*` and `?`; all without it. Those of "
                + "`static` are always listed",
            example: "[\"Meeting *\"]", reload: .hot),
        Key(
            "deny", \.deny, .oneOrMore(of: .glob),
            "Friendly names or ids of devices that are not listed, allowed or not",
            example: "[\"Guest *\"]", reload: .hot),
        .optional(
            "virtual_devices", \.template, .object,
            "A virtual device for each device that is found by mDNS, beside those of `virtual_devices`", reload: .hot),
    ]

    /// Makes a configuration with the defaults of `gateway.yaml`.
    package init() {}

    /// The value of `receiver_app` with which nothing is launched for a load.
    package static let noApp = "none"

    /// The apps that devices have to have, the one that a new session launches first.
    package var apps: [String] {
        guard self.receiverApps.isEmpty else { return self.receiverApps }
        return self.receiverApp.map { $0 == Self.noApp ? [] : [$0] } ?? []
    }

    /// The app that a new session launches; nil when none is set.
    package var launchedApp: String? { self.apps.first }

    /// Whether a load launches the default media receiver when no app is set.
    package var launchesDefaultReceiver: Bool { self.receiverApp != Self.noApp }

    /// Refuses two ways to say which app is used, and warns of virtual devices for devices that are not searched for.
    package static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        if section.has("receiver_app"), !section.list("receiver_apps").isEmpty {
            problems.add(
                .inconsistent, at: section.location("receiver_apps"),
                "'\(section.path("receiver_apps"))' and '\(section.path("receiver_app"))' exclude each other",
                hint: "name the app first in receiver_apps")
        }
        if section.has("stop_when_unused"), section.has("virtual_devices") {
            problems.add(
                .inconsistent, at: section.location("stop_when_unused"),
                "'\(section.path("stop_when_unused"))' and '\(section.path("virtual_devices"))' exclude each other",
                hint: "a virtual device for each device that is found goes when devices are not searched for")
        }
        let mdns = section.section("mdns")
        guard section.has("virtual_devices"), mdns.isValid("enabled"), !mdns.boolean("enabled") else { return }
        problems.add(
            .neverRuns, at: section.location("virtual_devices"),
            "'\(section.path("virtual_devices"))' has no effect while '\(mdns.path("enabled"))' is false",
            hint: "no device is searched for, so none is found", severity: .warning)
    }
}

/// `discovery.mdns`: how devices are searched for.
package struct MulticastConfiguration: ConfigSettings {
    /// `enabled`: whether they are.
    package var isEnabled = true
    /// `passive`: whether asking is left to the mDNS daemon; otherwise the gateway asks every ten seconds too.
    package var isPassive = true
    /// `interfaces`: the network interfaces to listen on; empty for all.
    package var interfaces: [String] = []

    /// The keys of `discovery.mdns`.
    package static let keys: [Key] = [
        Key(
            "enabled", \.isEnabled, .boolean,
            "Whether devices are searched for; it takes an Avahi daemon, and without one the rest goes on"),
        Key(
            "passive", \.isPassive, .boolean,
            "Whether asking is left to Avahi, which asks when Castway begins to search and then ever more rarely; `false` asks the network every "
                + "10 s too"),
        .selection(
            "interfaces", \.interfaces, .oneOrMore(of: .text(allowed: "a-zA-Z0-9._@:-", length: 1...15)),
            "The network interfaces to listen on; all without it", example: "[eth0]"),
    ]

    /// Makes a configuration with the defaults of `gateway.yaml`.
    package init() {}
}

/// `discovery.static[]`: a real device at a known address.
package struct StaticDevice: ConfigObject {
    /// The name by which `target: {device: NAME}` means it.
    package var name: String
    /// Where it answers.
    package var address: DialAddress
    /// `id`: the id that it announces itself under, where it does; nil when that is not known.
    package var id: String?

    /// The keys of `discovery.static[]`.
    package static let keys: [Key] = [
        .required(
            "name", \.name, .text(maximumBytes: 200), "The name by which a virtual device means it",
            example: "meeting-room"),
        .required("address", \.address, .dialAddress(), "Where the device answers", example: "192.0.2.40:8009"),
        .optional(
            "id", \.id, .text(allowed: "a-zA-Z0-9-", length: 1...64),
            "The device's id, as `castway devices` shows it: the device that announces itself under it is this one, "
                + "wherever it is by then, and another one that answers at the address is not used",
            example: "9d2b7c1e4f6a48b0a3c5d7e9f1023456"),
    ]

    /// Makes a device from its parts.
    package init(name: String, address: DialAddress, id: String? = nil) {
        self.name = name
        self.address = address
        self.id = id
    }

    /// What holds before anything is read.
    package init(blank: ConfigBlank) {
        self.init(name: "", address: DialAddress(host: ""))
    }
}
