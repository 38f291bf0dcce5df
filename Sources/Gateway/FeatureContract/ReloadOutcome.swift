package import GatewayConfig
package import GatewayCore
package import GatewaySettings
package import PluginHosting
import PluginKit

/// What came of a reload: the plan that is in force now, or would be; or why the old configuration stays.
package typealias ReloadOutcome = Result<ReloadPlan, ReloadFailure>

/// What a new configuration changes in a running gateway, key by key, in the order of `gateway.yaml`.
package struct ReloadPlan: Sendable, Hashable {
    /// The changes; empty when nothing differs.
    package private(set) var changes: [ReloadChange]

    /// The keys that cannot change while the gateway runs.
    package var restartKeys: [String] { self.changes.filter { $0.reload == .restart }.map(\.path) }

    /// Compares two configurations.
    package init(from old: GatewayConfiguration, to new: GatewayConfiguration) {
        self.changes = ReloadDifference(from: old, to: new).changes
    }

    /// Says of a key what else there is to know.
    package mutating func note(_ path: String, _ note: String) {
        guard let index = self.changes.firstIndex(where: { $0.path == path }) else { return }
        self.changes[index].note = note
    }

    /// Adds a key whose value is the same though what it names is not.
    package mutating func add(_ path: String, _ reload: ReloadClass, note: String) {
        guard !self.changes.contains(where: { $0.path == path }) else { return }
        self.changes.append(ReloadChange(path: path, reload: reload, note: note))
    }
}

/// Why a new configuration was not put in force; the old one runs on.
package enum ReloadFailure: Error, Sendable, CustomStringConvertible {
    /// The configuration has errors.
    case invalid(ConfigReport)
    /// These keys differ, and cannot change while the gateway runs.
    case takesRestart([String])
    /// Something that the configuration needs could not be had: an address is taken, for example.
    case notPrepared(GatewayError)
    /// A plugin's new process does not come up; where in the file the plugin is listed.
    case pluginNotReady(PluginNotReady, at: ConfigLocation?)
    /// A plugin that runs cannot make sense of its new configuration.
    case pluginRefused(PluginConfigurationRefused)
    /// The gateway has no file to read, stops, or has too many reloads waiting.
    case unavailable(String)

    /// The error with its code, as on every surface.
    package var error: GatewayError {
        switch self {
        case .invalid(let report):
            let count = report.problems.count { $0.severity == .error } + report.droppedCount
            return GatewayError(
                .configurationInvalid, "the configuration has \(count) error\(count == 1 ? "" : "s")")
        case .takesRestart(let keys):
            return GatewayError(.restartRequired, "these keys take a restart: \(keys.joined(separator: ", "))")
        case .notPrepared(let error): return GatewayError(.reloadFailed, error.reason)
        case .pluginNotReady(let failure, let place):
            let prefix = place.map { "\($0): " } ?? ""
            return GatewayError(.reloadFailed, "\(prefix)\(failure)")
        case .pluginRefused(let refusal): return GatewayError(.configurationInvalid, refusal.description)
        case .unavailable(let reason): return GatewayError(.unavailable, reason)
        }
    }

    package var description: String { self.error.reason }
}

extension ReloadFailure {
    /// What a plugin found wrong, at its place in the file, when there is one.
    package func located(in document: ConfigDocument?) -> ReloadFailure {
        guard var document, let instance = self.plugin.flatMap({ Self.instance($0, in: document) }) else { return self }
        if case .pluginNotReady(let failure, _) = self { return .pluginNotReady(failure, at: instance.location) }
        guard case .pluginRefused(let refusal) = self, !refusal.problems.isEmpty else { return self }
        for problem in refusal.problems {
            let place =
                instance.value("config").map { ValueSchema.location(of: problem.path, in: $0) } ?? instance.location
            let path = problem.path.replacing("/", with: ".")
            document.problems.add(
                .refusedByPlugin, at: place, "'\(instance.path("config"))\(path)' \(problem.message)",
                hint: problem.suggestion ?? "the plugin '\(refusal.name)' says so")
        }
        return .invalid(document.report())
    }

    private var plugin: String? {
        switch self {
        case .pluginNotReady(let failure, _): failure.name
        case .pluginRefused(let refusal): refusal.name
        case .invalid, .takesRestart, .notPrepared, .unavailable: nil
        }
    }

    private static func instance(_ name: String, in document: ConfigDocument) -> ConfigSection? {
        document.root.section("plugins").sections("instances").first { $0.string("name") == name }
    }
}
