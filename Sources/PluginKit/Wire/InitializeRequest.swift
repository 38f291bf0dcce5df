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

extension InitializeRequest: WireObject {
    package init(_ reader: ObjectReader) throws(PluginWireError) {
        let versions = try reader.reader("protocol")
        let minimum = try versions.int("min")
        let maximum = try versions.int("max")
        guard minimum <= maximum else { throw versions.fault("min", "is above max") }
        self.init(
            versions: minimum...maximum, gateway: try GatewayIdentity(try reader.reader("gateway")),
            plugin: try reader.optionalReader("plugin").map(PluginIdentity.init),
            instance: try reader.string("instance"), features: try reader.optionalStrings("features") ?? [],
            limits: try reader.optionalReader("limits").map(PluginLimits.init) ?? PluginLimits(),
            grant: try reader.optionalReader("grant").map(PluginGrant.init) ?? PluginGrant(),
            config: try reader.optionalObject("config") ?? [:],
            stateDirectory: try reader.optionalString("stateDir"),
            testTime: try reader.optionalReader("clock").map(ClockReading.init)?.now)
    }

    package var json: JSONObject {
        var json: JSONObject = [
            "protocol": ["min": .number(self.versions.lowerBound), "max": .number(self.versions.upperBound)],
            "gateway": .object(self.gateway.json),
        ]
        json["plugin"] = self.plugin.map { .object($0.json) }
        json["instance"] = .string(self.instance)
        json["features"] = .array(self.features.map { .string($0) })
        json["limits"] = .object(self.limits.json)
        json["grant"] = .object(self.grant.json)
        json["config"] = .object(self.config)
        json["stateDir"] = self.stateDirectory.map { .string($0) }
        json["clock"] = self.testTime.map { .object(ClockReading(now: $0).json) }
        return json
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

extension InitializeResult: WireObject {
    package init(_ reader: ObjectReader) throws(PluginWireError) {
        let plugin = try reader.reader("plugin")
        let hasClaims = reader.object["claims"].map { $0 != .null } ?? false
        self.init(
            version: try reader.int("protocol"), pluginID: try plugin.string("id"),
            pluginVersion: try plugin.optionalString("version") ?? "",
            claims: hasClaims ? try reader.list("claims") : nil,
            features: try reader.optionalStrings("features") ?? [],
            maximumInFlight: try reader.optionalInt("maxInFlight"))
        if let maximum = self.maximumInFlight, maximum < 1 {
            throw reader.fault("maxInFlight", "should be above 0")
        }
    }

    package var json: JSONObject {
        var json: JSONObject = [
            "protocol": .number(self.version),
            "plugin": ["id": .string(self.pluginID), "version": .string(self.pluginVersion)],
        ]
        json["claims"] = self.claims.map { .array($0.map { .object($0.json) }) }
        if !self.features.isEmpty { json["features"] = .array(self.features.map { .string($0) }) }
        json["maxInFlight"] = self.maximumInFlight.map { .number($0) }
        return json
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

extension GatewayIdentity: WireObject {
    package init(_ reader: ObjectReader) throws(PluginWireError) {
        self.init(
            id: try reader.string("id"), name: try reader.optionalString("name") ?? "",
            version: try reader.optionalString("version") ?? "")
    }

    package var json: JSONObject {
        ["id": .string(self.id), "name": .string(self.name), "version": .string(self.version)]
    }
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

extension PluginIdentity: WireObject {
    package init(_ reader: ObjectReader) throws(PluginWireError) {
        self.init(id: try reader.string("id"), version: try reader.optionalString("version") ?? "")
    }

    package var json: JSONObject { ["id": .string(self.id), "version": .string(self.version)] }
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

extension PluginLimits: WireObject {
    package init(_ reader: ObjectReader) throws(PluginWireError) {
        self.init()
        if let value = try reader.optionalInt("maxInFlight") { self.maximumInFlight = value }
        if let value = try reader.optionalInt("maxLine") { self.maximumLineLength = value }
        if let value = try reader.optionalMilliseconds("maxDeadlineMs") { self.maximumDeadline = value }
        if let deadlines = try reader.optionalReader("deadlineMs") {
            if let value = try deadlines.optionalMilliseconds("filter") { self.filterDeadline = value }
            if let value = try deadlines.optionalMilliseconds("handle") { self.handleDeadline = value }
        }
        guard self.maximumInFlight > 0 else { throw reader.fault("maxInFlight", "should be above 0") }
        guard self.maximumLineLength > 0 else { throw reader.fault("maxLine", "should be above 0") }
    }

    package var json: JSONObject {
        [
            "maxInFlight": .number(self.maximumInFlight), "maxLine": .number(self.maximumLineLength),
            "deadlineMs": [
                "filter": .number(self.filterDeadline.wireMilliseconds),
                "handle": .number(self.handleDeadline.wireMilliseconds),
            ], "maxDeadlineMs": .number(self.maximumDeadline.wireMilliseconds),
        ]
    }
}

/// The time under a clock that a test moves.
struct ClockReading: Hashable, Sendable {
    /// Milliseconds since 1970.
    var now: Int
}

extension ClockReading: WireObject {
    init(_ reader: ObjectReader) throws(PluginWireError) {
        self.init(now: try reader.int("now"))
        guard PluginInstant.range.contains(self.now) else { throw reader.fault("now", "is no time of this age") }
    }

    var json: JSONObject { ["now": .number(self.now)] }
}
