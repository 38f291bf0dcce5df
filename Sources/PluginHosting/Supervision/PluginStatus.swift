public import CastWire
import PluginKit

/// A plugin as it stands.
public struct PluginStatus: Sendable {
    /// Its name.
    public let instance: PluginInstance
    /// How far it is.
    public let state: PluginState
    /// Why, for people.
    public let reason: String?
    /// What it said of itself; nil when no process runs, or it has not spoken yet.
    let result: InitializeResult?
    /// How it is asked about messages now.
    let claims: [PluginClaim]
    /// Its process; nil when none runs, or it is not the gateway's.
    public let processID: Int32?
    /// The memory that its process uses, in bytes.
    public let residentBytes: Int?
    /// How long it has been ready.
    public let readyFor: Duration?
    /// How often it was started again.
    public let restartCount: Int
    /// How many messages it has.
    public let inFlight: Int
    /// What was counted since the gateway began.
    public let counts: PluginCounts
    /// What of its limits cannot be enforced here.
    public let unenforced: [String]
    /// The last lines of its standard error.
    public let lines: [String]
    /// The versions of the plugin protocol that this Castway speaks.
    private let versions = PluginProtocol.versions

    init(
        instance: PluginInstance, state: PluginState, reason: String?, result: InitializeResult?,
        claims: [PluginClaim], processID: Int32?, residentBytes: Int?, readyFor: Duration?, restartCount: Int,
        inFlight: Int, counts: PluginCounts, unenforced: [String], lines: [String]
    ) {
        self.instance = instance
        self.state = state
        self.reason = reason
        self.result = result
        self.claims = claims
        self.processID = processID
        self.residentBytes = residentBytes
        self.readyFor = readyFor
        self.restartCount = restartCount
        self.inFlight = inFlight
        self.counts = counts
        self.unenforced = unenforced
        self.lines = lines
    }

    /// The plugin in short, as `GET /api/v1/plugins` lists it.
    public var summary: JSONObject {
        var json: JSONObject = [
            "name": .string(self.instance.name), "plugin": .string(self.instance.plugin),
            "version": .string(self.result?.pluginVersion ?? self.instance.manifest.version),
            "kind": .string(self.instance.kind.rawValue), "state": .string(self.state.rawValue),
            "required": .bool(self.instance.isRequired), "restarts": .number(self.restartCount),
        ]
        json["reason"] = self.reason.map { .string($0) }
        json["pid"] = self.processID.map { .number(Int($0)) }
        json["rss_bytes"] = self.residentBytes.map { .number($0) }
        json["ready_ms"] = self.readyFor.map { .number(Int($0 / .milliseconds(1))) }
        json["unenforced"] = .array(self.unenforced.map { .string($0) })
        return json
    }

    /// Everything, as `GET /api/v1/plugins/NAME` gives it.
    public var json: JSONObject {
        var json = self.summary
        json["protocol"] = self.result.map { .number($0.version) }
        json["features"] = self.result.map { .array($0.features.map { .string($0) }) }
        json["grant"] = .object(self.instance.grant.json)
        json["claims"] = .array(self.claims.map { .object($0.json) })
        let settings = self.instance.settings
        json["sandbox"] = .string(settings.sandbox.rawValue)
        json["limits"] = [
            "memory_bytes": .number(settings.resources.memory), "open_files": .number(settings.resources.openFiles),
            "processes": .number(settings.resources.processes), "state_bytes": .number(settings.resources.state),
            "state_files": .number(settings.resources.stateFiles),
        ]
        json["in_flight"] = .number(self.inFlight)
        json["counts"] = .object(self.counts.json)
        json["stderr"] = .array(self.lines.map { .string($0) })
        return json
    }
}

extension PluginCounts {
    /// The counts as they are shown.
    var json: JSONObject {
        [
            "answered": .number(self.answered), "errors": .number(self.errors), "invalid": .number(self.invalid),
            "abandoned": .number(self.abandoned), "lost": .number(self.lost), "overloaded": .number(self.overloaded),
            "late": .number(self.late), "duplicates": .number(self.duplicates),
            "unknown_ids": .number(self.unknownIDs), "stray_lines": .number(self.stray),
            "oversized_lines": .number(self.oversized), "observed": .number(self.observed),
            "dropped": .number(self.dropped), "refused": .number(self.refused),
        ]
    }
}
