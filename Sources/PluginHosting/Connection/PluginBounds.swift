import CastWire
import GatewayConfig
import GatewayCore
import PluginKit

/// What a grant allows, ready to be asked for every message.
struct PluginBounds: Sendable {
    let grant: PluginGrant
    private let patterns: [NamespacePattern]
    private let events: [Glob]

    init(_ grant: PluginGrant) {
        self.grant = grant
        self.patterns = grant.namespaces.filter { $0.phase != .observe }.compactMap { NamespacePattern($0.match) }
        self.events = grant.events.map { Glob($0) }
    }

    /// Whether the plugin may speak in a namespace.
    func covers(_ namespace: Namespace) -> Bool {
        !namespace.isTransport && self.patterns.contains { $0.matches(namespace) }
    }

    /// Whether the plugin may emit an event.
    func allows(event: String) -> Bool { self.events.contains { $0.matches(event) } }

    /// Whether the plugin may hear of a device: one of those that a claim names, or any when a claim names none.
    func allows(device: String) -> Bool {
        self.grant.namespaces.isEmpty
            || self.grant.namespaces.contains { $0.devices.map { $0.contains(device) } ?? true }
    }
}
