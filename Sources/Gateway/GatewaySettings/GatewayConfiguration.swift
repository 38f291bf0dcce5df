import BuiltInReceiver
package import ControlAPI
package import DeviceSessions
package import GatewayConfig
package import GatewayLogging
package import MediaCatalogues
package import MediaPictures
package import MessageBridges
package import NamespaceHandlers
package import PluginHosting
package import VirtualDevices

/// Everything that `gateway.yaml` says, checked and typed.
///
/// ``load(path:fileSystem:environment:machine:now:)`` makes one; the parts belong to the modules that use them.
package struct GatewayConfiguration: ConfigSettings {
    /// The version of the format of `gateway.yaml` that this Castway reads.
    package static let formatVersion = 1

    /// `gateway`: who this gateway is.
    package var gateway = GeneralConfiguration()
    /// `log`: what is logged and how.
    package var log = LogConfiguration()
    /// `admin`: how the gateway is asked to do things.
    package var admin = AdminConfiguration()
    /// `api`: how other programs use the gateway over the network.
    package var api = APIConfiguration()
    /// `metrics`: what is measured, and where it can be read; nil counts no messages.
    package var metrics: MetricsConfiguration?
    /// `identity`: the root of the certificates that virtual devices show.
    package var identity = IdentityConfiguration()
    /// `shutdown`: how the gateway stops.
    package var shutdown = ShutdownConfiguration()
    /// `discovery`: where real devices are found.
    package var discovery = DiscoveryConfiguration()
    /// `connections`: the connections to real devices.
    package var connections = ConnectionsConfiguration()
    /// `connections.senders`: the connections of senders.
    package var senders = SenderLimits()
    /// `connections.setup`: the connections to the set-up service.
    package var setupLimits = SetupLimits()
    /// `sessions`: how sessions are kept.
    package var sessions = SessionsConfiguration()
    /// `launch`: what is added to launches.
    package var launch = LaunchConfiguration()
    /// `media`: what loads and queues of operations have besides.
    package var media = MediaPreferences()
    /// `errors`: what is done about launches and loads that fail.
    package var errors = ErrorPolicies()
    /// `virtual_devices`: what senders see.
    package var virtualDevices: [VirtualDeviceConfiguration] = []
    /// `routing`: rules, deadlines, and what happens to messages that no handler owns.
    package var routing = RoutingConfiguration()
    /// `handlers`: which handlers are asked, in which order.
    package var handlers = HandlersConfiguration()
    /// `channels`: custom namespaces that Castway answers itself or bridges.
    package var channels: [ChannelConfiguration] = []
    /// `bridges`: webhooks and the MQTT broker.
    package var bridges = BridgesConfiguration()
    /// `catalogues`: lists of videos that callers browse and load from.
    package var catalogues: [CatalogueConfiguration] = []
    /// `pictures`: pictures of media and apps that the gateway fetches for callers; nil fetches none.
    package var pictures: PicturesConfiguration?
    /// `plugins`: programs of others that handle messages.
    package var plugins = PluginsConfiguration()

    /// The keys of `gateway.yaml`.
    package static let keys: [Key] = [
        .unread(
            "version", .formatVersion(formatVersion), .required, "The version of this file's format", example: "1",
            reload: .hot),
        .unread(
            "include", .list(of: .glob), .optional,
            "Further files, relative to this one and not outside its folder: `*` and `?` are wildcards. Mappings merge, "
                + "lists of mappings are appended, everything else may be set in one file only",
            example: "[conf.d/*.yaml]", reload: .hot),
        Key("gateway", \.gateway, .object, "Who this gateway is"),
        Key("log", \.log, .object, "What is logged and how", reload: .hot),
        Key(
            "identity", \.identity, .object,
            "The root of the certificates of virtual devices; both files or neither", reload: .restart),
        Key("shutdown", \.shutdown, .object, "How the gateway stops", reload: .hot),
        Key("admin", \.admin, .object, "How the gateway is asked to do things"),
        Key("api", \.api, .object, "How other programs use the gateway over the network"),
        .optional(
            "metrics", \.metrics, .object,
            "What is measured, and where it can be read. Without this section messages are not counted, and `/metrics` is on the admin listener alone",
            reload: .listener),
        Key("discovery", \.discovery, .object, "Where real devices are found", reload: .device),
        .section(
            "connections", "The connections to real devices, and those of senders", reload: .newConnections,
            ConnectionsConfiguration.keys.embedded(in: \Self.connections) + [
                Key("senders", \.senders, .object, "The connections of senders", reload: .newConnections),
                Key(
                    "setup", \.setupLimits, .object, "The connections to the set-up services, HTTP and HTTPS",
                    reload: .newConnections),
            ]),
        Key("sessions", \.sessions, .object, "How sessions on real devices are kept", reload: .hot),
        Key("launch", \.launch, .object, "What is added when an app is launched", reload: .hot),
        Key(
            "media", \.media, .object,
            "What loads and queues of operations have when the caller says nothing else; those of senders stay as they are",
            reload: .hot),
        Key(
            "errors", \.errors, .object,
            "What the gateway does itself about launches and loads of operations that fail",
            reload: .hot),
        .unread(
            "virtual_device_defaults",
            VirtualDeviceConfiguration.schema.defaults(without: ["name", "friendly_name"], of: "virtual_devices[]"),
            .optional,
            "What virtual devices leave out: any of their keys but their names. Mappings merge key by key, what a device says "
                + "itself replaces anything else",
            example: "{target: local, senders: {allow: [10.20.0.0/16]}}", reload: .listener),
        Key(
            "virtual_devices", \.virtualDevices,
            .list(of: .object, namedBy: "name", \.name).shortened(.elements(defaults: "virtual_device_defaults")),
            "The devices that senders see", reload: .listener),
        .unread(
            "groups", DeviceGroups.schema, .optional,
            "Groups of virtual devices, each a list of names, with `*` and `?`. The name of a group may stand wherever virtual "
                + "devices are named: in rules and in grants",
            example: "{north: [room-1, room-2], all-rooms: [\"room-*\"]}", reload: .hot),
        Key("routing", \.routing, .object, "What becomes of messages", reload: .hot),
        Key(
            "handlers", \.handlers, HandlersConfiguration.type,
            "Which handlers are asked about messages, in this order; one that a list of yours leaves out is off",
            reload: .hot),
        Key(
            "channels", \.channels, .list(of: .object),
            "Custom namespaces that Castway answers itself, or bridges to back ends", reload: .hot),
        Key(
            "bridges", \.bridges, .object, "Where messages of apps and events are delivered outside of the gateway",
            reload: .hot),
        Key(
            "catalogues", \.catalogues, .list(of: .object, namedBy: "name", \.name),
            "Lists of videos on web servers and in files, which callers browse, and whose items `media.load` takes",
            reload: .hot),
        .optional(
            "pictures", \.pictures, .object,
            "Pictures of media and apps that the gateway fetches and keeps for callers of the API. Without this section it fetches none",
            reload: .hot),
        Key("plugins", \.plugins, .object, "Programs of others that handle messages", reload: .plugin),
    ]

    /// All keys of `gateway.yaml`, in the order in which they are documented.
    package static let schema = ConfigSchema.object(of: Self.self)

    /// Makes a configuration with the defaults of `gateway.yaml`.
    package init() {}

    /// Reads the typed values from a checked configuration.
    /// - Parameter folders: what was found where the plugins lie.
    package init(reading root: ConfigSection, pluginFolders folders: PluginFolders) {
        self.init(reading: root)
        self.plugins = PluginsConfiguration(reading: root.section("plugins"), folders: folders)
        self.plugins.grant(self.virtualDevices.flatMap(Self.players))
        self.addInlineTargets(root)
    }

    /// Makes real devices of the targets that are addresses. All that relay to one address share a device, and it is that of
    /// `discovery.static` where that has the address.
    private mutating func addInlineTargets(_ root: ConfigSection) {
        var names = Dictionary(
            self.discovery.staticDevices.map { ($0.address.canonical, $0.name) },
            uniquingKeysWith: { first, _ in first })
        for (index, section) in zip(self.virtualDevices.indices, root.sections("virtual_devices")) {
            guard let target = section.optionalSection("target"), target.has("address") else { continue }
            let address = target.dialAddress("address").canonical
            if names[address] == nil {
                names[address] = address.description
                self.discovery.staticDevices.append(StaticDevice(name: address.description, address: address))
            }
            self.virtualDevices[index].target = .device(names[address] ?? address.description)
        }
    }

    /// The plugins that are players of a device's apps.
    private static func players(of device: VirtualDeviceConfiguration) -> [AppPlayer] {
        (device.apps ?? []).compactMap { app in
            guard case .plugin(let name) = app.player else { return nil }
            return AppPlayer(device: device.name, app: app.id, plugin: name)
        }
    }
}

/// `gateway`: who this gateway is and where it keeps its state.
package struct GeneralConfiguration: ConfigSettings {
    /// 1 to 32 of `a-z`, `0-9` and `-`; appears in topics and the API.
    package var id = "gw1"
    /// What people read.
    package var name = "Castway"
    /// The folder for state, as a path from the root or from the working directory.
    package var stateDirectory = "./state"

    /// The keys of `gateway`.
    package static let keys: [Key] = [
        Key(
            "id", \.id, .text(allowed: "a-z0-9-", length: 1...32),
            "Tells gateways apart in logs; never changes by itself", reload: .restart),
        Key(
            "name", \.name, .text(maximumBytes: 200), "The name that people read, in logs and when it starts",
            reload: .hot),
        Key(
            "state_directory", \.stateDirectory, .path, "The folder for state, relative to the folder of this file",
            example: "/var/lib/castway", reload: .restart),
    ]

    /// Makes settings with the defaults of `gateway.yaml`.
    package init() {}
}

/// `identity`: the root under which virtual devices get their certificates. Both files are given, or neither.
package struct IdentityConfiguration: ConfigSettings {
    /// A PEM file with the root certificate; nil lets Castway make its own root.
    package var rootCertificateFile: String?
    /// A PEM file with the private key of the root certificate.
    package var rootPrivateKeyFile: String?

    /// The keys of `identity`.
    package static let keys: [Key] = [
        .optional(
            "root_certificate_file", \.rootCertificateFile, .path,
            "A PEM file with the root certificate of all virtual devices; without it Castway makes its own root",
            example: "${CREDENTIALS_DIRECTORY}/castway_root.crt"),
        .optional(
            "root_private_key_file", \.rootPrivateKeyFile, .path,
            "A PEM file with the private key of the root certificate",
            example: "${CREDENTIALS_DIRECTORY}/castway_root.key"),
    ]

    /// Makes a configuration without files: Castway makes its own root.
    package init() {}

    /// Adds one file without the other.
    package static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        section.requireTogether("root_certificate_file", "root_private_key_file", problems: &problems)
    }
}

/// `shutdown`: how the gateway stops.
package struct ShutdownConfiguration: ConfigSettings {
    /// How long connections may finish what they are doing.
    package var drain = Duration.seconds(5)
    /// How long everything together may take before the process ends; at least `drain`.
    package var total = Duration.seconds(20)
    /// Whether apps on real devices are stopped; otherwise media keeps playing.
    package var stopReceivers = false

    /// The keys of `shutdown`.
    package static let keys: [Key] = [
        Key(
            "drain", \.drain, .duration(.zero ... .seconds(3600)),
            "How long connections may finish what they are doing"),
        Key(
            "total", \.total, .duration(.zero ... .seconds(3600)),
            "How long everything together may take before the process ends; at least `drain`"),
        Key(
            "stop_receivers", \.stopReceivers, .boolean,
            "Whether apps on real devices are stopped; otherwise media keeps playing"),
    ]

    /// Makes a configuration with the defaults of `gateway.yaml`.
    package init() {}

    /// Adds a total time that is shorter than its part.
    package static func check(_ section: ConfigSection, problems: inout ConfigProblems) {
        section.requireDuration("total", exceeds: "drain", orEqual: true, problems: &problems)
    }
}
