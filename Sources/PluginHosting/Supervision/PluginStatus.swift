public import CastWire
import PluginKit

/// A plugin as it stands.
public struct PluginStatus: Sendable {
    /// Its name.
    public let instance: PluginInstance
    /// Its state.
    public let state: PluginState
    /// Why, for people.
    public let reason: String?
    /// Its answer to `initialize`; nil before that, and when no process runs.
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
    /// The same by the reason, a word that never changes.
    public let restarts: [String: Int]
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
        restarts: [String: Int], inFlight: Int, counts: PluginCounts, unenforced: [String], lines: [String]
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
        self.restarts = restarts
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
        json["replaces"] = .array(self.instance.replaces.map { .string($0.summary) })
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

/// What a plugin's wire has counted since the plugin became one.
public struct PluginCounts: Hashable, Sendable {
    /// Messages answered by a verdict.
    public var answered = 0
    /// Messages answered by an error.
    public var errors = 0
    /// Messages answered by a verdict that makes no sense.
    public var invalid = 0
    /// Messages whose verdict was not awaited any more: the deadline passed, or the sender went away.
    public var abandoned = 0
    /// Messages that failed with the process.
    public var lost = 0
    /// Messages that were not sent, since too many waited.
    public var overloaded = 0
    /// Answers that came after that.
    public var late = 0
    /// Second answers.
    public var duplicates = 0
    /// Answers to nothing that was asked.
    public var unknownIDs = 0
    /// Lines that are none of the protocol.
    public var stray = 0
    /// Lines beyond the limit.
    public var oversized = 0
    /// Copies and events that were sent.
    public var observed = 0
    /// Copies and events that were left out, since too many waited.
    public var dropped = 0
    /// Things that the plugin wanted and was not granted.
    public var refused = 0
    /// What became of the messages by the phase in which the plugin was asked.
    public internal(set) var calls = PluginCallCounts()

    /// Nothing yet.
    public init() {}

    /// Adds what another life of the plugin has counted.
    mutating func add(_ other: PluginCounts) {
        self.answered += other.answered
        self.errors += other.errors
        self.invalid += other.invalid
        self.abandoned += other.abandoned
        self.lost += other.lost
        self.overloaded += other.overloaded
        self.late += other.late
        self.duplicates += other.duplicates
        self.unknownIDs += other.unknownIDs
        self.stray += other.stray
        self.oversized += other.oversized
        self.observed += other.observed
        self.dropped += other.dropped
        self.refused += other.refused
        self.calls += other.calls
    }
}
