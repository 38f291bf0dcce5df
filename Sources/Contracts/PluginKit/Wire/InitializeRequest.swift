public import CastWire

/// The first request on the wire: versions, the grant, the plugin's configuration.
public struct InitializeRequest: Hashable, Sendable {
    /// The versions of the protocol that the gateway speaks.
    public var versions: ClosedRange<Int>
    /// Which gateway it is.
    public var gateway: GatewayIdentity
    /// Which plugin the gateway takes this for; nil when it does not say.
    public var plugin: PluginIdentity?
    /// The plugin's name in `gateway.yaml`.
    public var instance: String
    /// The optional parts of the protocol that the gateway supports.
    public var features: [String]
    /// Limits of size and time.
    public var limits: PluginLimits
    /// What is allowed.
    public var grant: PluginGrant
    /// What stands under `config` in `gateway.yaml`, with the defaults of the manifest's schema.
    public var config: JSONObject
    /// A folder of the plugin's own; nil when it has none.
    public var stateDirectory: String?
    /// What time it is, in milliseconds since 1970, when a test moves it; else nil.
    public var testTime: Int?

    /// Puts the request together.
    public init(
        versions: ClosedRange<Int> = PluginProtocol.versions, gateway: GatewayIdentity,
        plugin: PluginIdentity? = nil, instance: String, features: [String] = [],
        limits: PluginLimits = PluginLimits(), grant: PluginGrant = PluginGrant(), config: JSONObject = [:],
        stateDirectory: String? = nil, testTime: Int? = nil
    ) {
        self.versions = versions
        self.gateway = gateway
        self.plugin = plugin
        self.instance = instance
        self.features = features
        self.limits = limits
        self.grant = grant
        self.config = config
        self.stateDirectory = stateDirectory
        self.testTime = testTime
    }
}

extension InitializeRequest: WireRecord {
    package static let blank = Self(gateway: .blank, instance: "")

    package static let members: [Member] = [
        .required("protocol", \.versions), .required("gateway", \.gateway), .optional("plugin", \.plugin),
        .required("instance", \.instance), Member("features", \.features), Member("limits", \.limits),
        Member("grant", \.grant), Member("config", \.config), .optional("stateDir", \.stateDirectory),
        .optional("clock", \.clock),
    ]

    private var clock: ClockReading? {
        get { self.testTime.map(ClockReading.init(now:)) }
        set { self.testTime = newValue?.now }
    }
}

/// The plugin's answer to `initialize`.
public struct InitializeResult: Hashable, Sendable {
    /// The version of the protocol that the plugin chose from the gateway's range.
    public var version: Int
    /// The plugin's id, as in its manifest.
    public var pluginID: String
    /// The plugin's version.
    public var pluginVersion: String
    /// What of the grant the plugin wants to be asked about; nil for all of it. May only narrow it.
    public var claims: [PluginClaim]?
    /// The optional parts of the protocol that the plugin supports.
    public var features: [String]
    /// How many messages it wants at once; nil for what the gateway offers.
    public var maximumInFlight: Int?

    /// Puts the answer together.
    public init(
        version: Int = PluginProtocol.versions.upperBound, pluginID: String, pluginVersion: String,
        claims: [PluginClaim]? = nil, features: [String] = [], maximumInFlight: Int? = nil
    ) {
        self.version = version
        self.pluginID = pluginID
        self.pluginVersion = pluginVersion
        self.claims = claims
        self.features = features
        self.maximumInFlight = maximumInFlight
    }
}

extension InitializeResult: WireRecord {
    package static let blank = Self(pluginID: "", pluginVersion: "")

    package static let members: [Member] = [
        .required("protocol", \.version), .required("plugin", \.plugin), .optional("claims", \.claims),
        .unlessDefault("features", \.features), .optional("maxInFlight", \.maximumInFlight),
    ]

    private var plugin: PluginIdentity {
        get { PluginIdentity(id: self.pluginID, version: self.pluginVersion) }
        set { (self.pluginID, self.pluginVersion) = (newValue.id, newValue.version) }
    }

    package func check(_ reader: ObjectReader) throws(PluginWireError) {
        guard self.maximumInFlight ?? 1 > 0 else { throw reader.fault("maxInFlight", "should be above 0") }
    }
}

/// Which gateway speaks.
public struct GatewayIdentity: Hashable, Sendable {
    /// The gateway's id, the same after a restart.
    public var id: String
    /// Its name for people.
    public var name: String
    /// Its version.
    public var version: String

    /// Names a gateway.
    public init(id: String, name: String, version: String) {
        self.id = id
        self.name = name
        self.version = version
    }
}

extension GatewayIdentity: WireRecord {
    package static let blank = Self(id: "", name: "", version: "")

    package static let members: [Member] = [
        .required("id", \.id), Member("name", \.name), Member("version", \.version),
    ]
}

/// Which plugin it is, as its manifest says.
public struct PluginIdentity: Hashable, Sendable {
    /// The manifest's `id`.
    public var id: String
    /// The manifest's `version`.
    public var version: String

    /// Names a plugin.
    public init(id: String, version: String) {
        self.id = id
        self.version = version
    }
}

extension PluginIdentity: WireRecord {
    package static let blank = Self(id: "", version: "")

    package static let members: [Member] = [.required("id", \.id), Member("version", \.version)]
}

/// How much a plugin may have, and how long it may take.
public struct PluginLimits: Hashable, Sendable {
    /// How many messages may be unanswered; more are not sent.
    public var maximumInFlight: Int
    /// The longest line either end may write, in bytes.
    public var maximumLineLength: Int
    /// How long a verdict may take for a filter.
    public var filterDeadline: Duration
    /// How long a verdict may take for a handler.
    public var handleDeadline: Duration
    /// How long a deferred verdict may take at most.
    public var maximumDeadline: Duration

    /// Describes limits.
    public init(
        maximumInFlight: Int = PluginProtocol.defaultMaximumInFlight,
        maximumLineLength: Int = PluginProtocol.maximumLineLength, filterDeadline: Duration = .milliseconds(250),
        handleDeadline: Duration = .seconds(1), maximumDeadline: Duration = .seconds(10)
    ) {
        self.maximumInFlight = maximumInFlight
        self.maximumLineLength = maximumLineLength
        self.filterDeadline = filterDeadline
        self.handleDeadline = handleDeadline
        self.maximumDeadline = maximumDeadline
    }
}

extension PluginLimits: WireRecord {
    package static let blank = Self()

    package static let members: [Member] = [
        Member("maxInFlight", \.maximumInFlight), Member("maxLine", \.maximumLineLength),
        .section("deadlineMs", [Member("filter", \.filterDeadline), Member("handle", \.handleDeadline)]),
        Member("maxDeadlineMs", \.maximumDeadline),
    ]

    package func check(_ reader: ObjectReader) throws(PluginWireError) {
        guard self.maximumInFlight > 0 else { throw reader.fault("maxInFlight", "should be above 0") }
        guard self.maximumLineLength > 0 else { throw reader.fault("maxLine", "should be above 0") }
    }
}

/// The time under a clock that a test moves.
struct ClockReading: Hashable, Sendable {
    /// Milliseconds since 1970.
    var now: Int
}

extension ClockReading: WireRecord {
    static let blank = Self(now: 0)

    static let members: [Member] = [.required("now", \.now)]

    func check(_ reader: ObjectReader) throws(PluginWireError) {
        guard PluginInstant.range.contains(self.now) else { throw reader.fault("now", "is no time of this age") }
    }
}
