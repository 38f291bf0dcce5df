public import PluginKit

/// What a plugin's `plugin.yaml` says: what it is, how it is run, and what it asks for.
public struct PluginManifest: Sendable, Hashable {
    /// What a plugin asks for beside messages; `gateway.yaml` may grant it or less.
    public struct Needs: Sendable, Hashable {
        /// To whom it wants to send by itself.
        public var send: PluginGrant.SendScope
        /// The events that it wants to emit.
        public var events: [String]
        /// What it wants to reach over the network.
        public var network: PluginGrant.Network
        /// How much it wants to keep, in bytes.
        public var storage: Int

        /// Asks for what is said.
        public init(
            send: PluginGrant.SendScope = .none, events: [String] = [], network: PluginGrant.Network = .none,
            storage: Int = 0
        ) {
            self.send = send
            self.events = events
            self.network = network
            self.storage = storage
        }
    }

    /// The plugin's id, in reverse domain notation; its folder has the same name.
    public var id: String
    /// Its name for people.
    public var name: String
    /// Its version.
    public var version: String
    /// The versions of the plugin protocol that it speaks.
    public var versions: ClosedRange<Int>
    /// The program and its arguments; nil when it is no process. A program with a slash is in the folder, one without is
    /// there or in the system's path.
    public var command: [String]?
    /// The library, in the folder; nil when it is no module.
    public var module: String?
    /// The messages that it asks for.
    public var claims: [PluginClaim]
    /// What else it asks for.
    public var needs: Needs
    /// Whether two of it cannot run at the same time.
    public var isSingleInstance: Bool
    /// What it wants in its environment.
    public var environment: [String: String]
    /// Where people read about it.
    public var documentation: String?

    /// Describes a plugin.
    public init(
        id: String, name: String? = nil, version: String, versions: ClosedRange<Int> = 1...1, command: [String]? = nil,
        module: String? = nil, claims: [PluginClaim] = [], needs: Needs = Needs(), isSingleInstance: Bool = false,
        environment: [String: String] = [:], documentation: String? = nil
    ) {
        self.id = id
        self.name = name ?? id
        self.version = version
        self.versions = versions
        self.command = command
        self.module = module
        self.claims = claims
        self.needs = needs
        self.isSingleInstance = isSingleInstance
        self.environment = environment
        self.documentation = documentation
    }

    /// How it is run unless `gateway.yaml` says otherwise.
    public var kind: PluginKind {
        if self.command != nil { .process } else if self.module != nil { .module } else { .socket }
    }
}
