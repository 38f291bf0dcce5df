package import CastWire
package import PluginKit

package struct PluginStatus: Sendable {
    package let instance: PluginInstance
    package let state: PluginState
    /// The reason for the state, for people.
    package let reason: String?
    /// Its answer to `initialize`; nil before that, and when no process runs.
    package let result: InitializeResult?
    /// The claims that are in force now.
    package let claims: [PluginClaim]
    /// Its process; nil when none runs, or it is not the gateway's.
    package let processID: Int32?
    /// The memory that its process uses, in bytes.
    package let residentBytes: Int?
    /// The time it has been ready.
    package let readyFor: Duration?
    /// The number of restarts.
    package let restartCount: Int
    /// The same by the reason, a word that never changes.
    package let restarts: [String: Int]
    /// The number of messages under way.
    package let inFlight: Int
    /// The counts since the gateway began.
    package let counts: PluginCounts
    /// The limits that cannot be enforced here.
    package let unenforced: [String]
    /// The last lines of its standard error.
    package let lines: [String]
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

}

extension PluginResources {
    package var json: JSONObject {
        [
            "memory_bytes": .number(self.memory), "open_files": .number(self.openFiles),
            "processes": .number(self.processes), "state_bytes": .number(self.state),
            "state_files": .number(self.stateFiles),
        ]
    }
}

extension PluginCounts {
    package var json: JSONObject {
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

/// The counts of a plugin's wire since the plugin became one.
package struct PluginCounts: Hashable, Sendable {
    /// Messages answered by a verdict.
    package var answered = 0
    /// Messages answered by an error.
    package var errors = 0
    /// Messages answered by a verdict that makes no sense.
    package var invalid = 0
    /// Messages whose verdict was not awaited any more: the deadline passed, or the sender went away.
    package var abandoned = 0
    /// Messages that failed with the process.
    package var lost = 0
    /// Messages that were not sent, since too many waited.
    package var overloaded = 0
    /// Answers that came after that.
    package var late = 0
    /// Second answers.
    package var duplicates = 0
    /// Answers to nothing that was asked.
    package var unknownIDs = 0
    /// Lines that are none of the protocol.
    package var stray = 0
    /// Lines beyond the limit.
    package var oversized = 0
    /// Copies and events that were sent.
    package var observed = 0
    /// Copies and events that were left out, since too many waited.
    package var dropped = 0
    /// Things that the plugin wanted and was not granted.
    package var refused = 0
    /// The outcomes of the messages, by the phase in which the plugin was asked.
    package internal(set) var calls = PluginCallCounts()

    package init() {}

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
