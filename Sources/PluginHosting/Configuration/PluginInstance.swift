public import CastWire
public import PluginKit

/// One plugin that `gateway.yaml` lists, with the manifest of its folder.
public struct PluginInstance: Sendable, Hashable {
    /// Its name: in logs, in the API, and as a handler.
    public var name: String
    /// The plugin's id, which is its folder's name.
    public var plugin: String
    /// The folder, as a path.
    public var folder: String
    /// What its `plugin.yaml` says.
    public var manifest: PluginManifest
    /// How it is run.
    public var kind: PluginKind
    /// Whether it runs.
    public var isEnabled: Bool
    /// Whether the gateway is not ready without it.
    public var isRequired: Bool
    /// Whether `gateway.yaml` grants what the manifest asks for, by name of the manifest rather than written out.
    public var isGrantedAsManifest: Bool
    /// The messages that it is asked about.
    public var namespaces: [GrantedNamespace]
    /// To whom it may send by itself.
    public var send: PluginGrant.SendScope
    /// The events that it may emit.
    public var events: [String]
    /// What it may reach over the network.
    public var network: PluginGrant.Network
    /// How much it may keep in its store, in bytes.
    public var storage: Int
    /// Its own configuration, with the defaults of its schema.
    public var config: JSONObject
    /// What is added to its environment.
    public var environment: [String: String]
    /// What it may use, how long it may take, and when it is started again.
    public var settings: PluginSettings
    /// Files and folders beside its own that it may read in the sandbox `strict`.
    public var readable: [String]
    /// The user whose process may connect as the plugin, for one that is connected to; nil for the gateway's own.
    public var user: String?

    /// Describes an instance; what is not said has the default of `gateway.yaml`.
    public init(
        name: String, plugin: String, folder: String, manifest: PluginManifest, kind: PluginKind = .process,
        isEnabled: Bool = true, isRequired: Bool = false,
        isGrantedAsManifest: Bool = false, namespaces: [GrantedNamespace] = [],
        send: PluginGrant.SendScope = .none, events: [String] = [], network: PluginGrant.Network = .none,
        storage: Int = 0, config: JSONObject = [:], environment: [String: String] = [:],
        settings: PluginSettings = PluginSettings(), readable: [String] = [], user: String? = nil
    ) {
        self.name = name
        self.plugin = plugin
        self.folder = folder
        self.manifest = manifest
        self.kind = kind
        self.isEnabled = isEnabled
        self.isRequired = isRequired
        self.isGrantedAsManifest = isGrantedAsManifest
        self.namespaces = namespaces
        self.send = send
        self.events = events
        self.network = network
        self.storage = storage
        self.config = config
        self.environment = environment
        self.settings = settings
        self.readable = readable
        self.user = user
    }

    /// The grant as the plugin is told it.
    public var grant: PluginGrant {
        PluginGrant(
            namespaces: self.namespaces.map(\.claim), send: self.send, events: self.events, network: self.network,
            storage: self.storage)
    }
}
