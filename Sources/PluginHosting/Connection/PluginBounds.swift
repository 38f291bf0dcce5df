package import CastWire
import GatewayConfig
import GatewayCore
package import PluginKit

/// What a grant allows, ready to be asked for every message, request and effect.
///
/// The gateway's wire, transcripts and `plugin check` all judge by this type, so what a tool lets pass the gateway does too.
package struct PluginBounds: Sendable {
    /// The grant.
    package let grant: PluginGrant
    private let patterns: [NamespacePattern]
    private let events: [Glob]

    /// Prepares a grant.
    package init(_ grant: PluginGrant) {
        self.grant = grant
        // Without `send` a plugin speaks only in verdicts, which observers do not give.
        self.patterns = grant.namespaces.filter { grant.send != .none || $0.phase != .observe }
            .compactMap { NamespacePattern($0.match) }
        self.events = grant.events.map { Glob($0) }
    }

    /// Whether the plugin may speak in a namespace: with `send` in each of its grant, whatever the phase; without it in those
    /// in which it decides.
    package func covers(_ namespace: Namespace) -> Bool {
        !namespace.isTransport && self.patterns.contains { $0.matches(namespace) }
    }

    /// Whether the plugin may emit an event.
    package func allows(event: String) -> Bool { self.events.contains { $0.matches(event) } }

    /// Whether the plugin may hear of a device: one of those that a claim names, or any when a claim names none.
    package func allows(device: String) -> Bool {
        self.grant.namespaces.isEmpty
            || self.grant.namespaces.contains { $0.devices.map { $0.contains(device) } ?? true }
    }

    /// Whether the plugin may keep anything.
    package var allowsStorage: Bool { self.grant.storage > 0 }
}
